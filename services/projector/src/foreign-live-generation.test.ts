import type { GenerationRecord, Registry } from '@vitrine/feed-index';
import { versionsWith } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { foreignLiveGeneration, rolloutBeside } from './foreign-live-generation.ts';

const [OLD, NEW] = [{ version: 1 }, { version: 2 }];
const record = (
  number: number,
  rules: { version: number },
  phase: GenerationRecord['phase'] = 'ready',
): GenerationRecord => ({
  number,
  phase,
  versions: versionsWith(rules),
  created_at: '2026-11-01T00:00:00Z',
  origin: { from: 'topic' },
});
const registry = (...generations: GenerationRecord[]): Registry => ({ generations, last: 9 });

describe('a projector beside a live generation of other versions', () => {
  it('takes part in no rollout if it writes the live generation, or if none is live', () => {
    expect(foreignLiveGeneration(registry(record(1, OLD), record(2, NEW)), { live: 1 }, OLD)).to.equal(
      undefined,
    );
    expect(foreignLiveGeneration(registry(record(1, OLD)), {}, NEW)).to.equal(undefined);
  });

  it('has work if a generation of its versions is ready or under construction', () => {
    for (const phase of ['copying', 'deriving', 'following', 'ready'] as const)
      expect(
        foreignLiveGeneration(registry(record(1, OLD), record(2, NEW, phase)), { live: 1 }, NEW)?.hasOwn,
        phase,
      ).to.equal(true);
    for (const others of [[], [record(2, NEW, 'pruning')], [record(2, { version: 3 })]])
      expect(foreignLiveGeneration(registry(record(1, OLD), ...others), { live: 1 }, NEW)?.hasOwn).to.equal(
        false,
      );
  });

  it('is idle only while another projector writes the live generation', () => {
    const state = (hasOwn: boolean, isWritten: boolean) =>
      rolloutBeside({ record: record(1, OLD), hasOwn }, NEW, isWritten).state;
    expect(state(true, true)).to.equal('idle');
    expect(state(false, true)).to.equal('awaits-replay');
    expect([state(true, false), state(false, false)]).to.deep.equal(['unwritten', 'unwritten']);
  });
});
