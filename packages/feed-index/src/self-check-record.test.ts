import { expect } from 'chai';
import { endedSelfCheck, type SelfCheckRun, startedSelfCheck } from './self-check-record.ts';

const [FIRST, SECOND, THIRD] = ['2026-11-01T03:30:00Z', '2026-11-02T03:30:00Z', '2026-11-03T03:30:00Z'];
const run = (outcome: SelfCheckRun['outcome'], at: string): SelfCheckRun => ({
  generation: 1,
  at,
  outcome,
  repaired: 0,
  unrepaired: 0,
});

describe('the record of verify --self', () => {
  it('keeps the start of the first run, from which a success is due', () => {
    const started = startedSelfCheck(undefined, FIRST);
    expect(started).to.deep.equal({ since: FIRST });
    expect(startedSelfCheck(started, SECOND)).to.equal(started);
    expect(endedSelfCheck(undefined, run('failed', FIRST))).to.include({ since: FIRST });
  });

  it('counts clean and repaired runs as successes, and keeps the last success after a failure', () => {
    for (const outcome of ['clean', 'repaired'] as const)
      expect(endedSelfCheck({ since: FIRST }, run(outcome, SECOND)).succeeded_at).to.equal(SECOND);
    for (const outcome of ['unrepaired', 'failed'] as const) {
      expect(endedSelfCheck({ since: FIRST }, run(outcome, SECOND))).not.to.have.property('succeeded_at');
      const before = { since: FIRST, succeeded_at: SECOND };
      expect(endedSelfCheck(before, run(outcome, THIRD))).to.deep.equal({
        ...before,
        last: run(outcome, THIRD),
      });
    }
  });
});
