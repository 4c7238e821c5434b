import { expect } from 'chai';
import { healthOf } from './health.ts';
import type { GenerationStatus, Lag, Status } from './status.ts';

const PROJECTOR = { clientId: 'vitrine-projector', host: '/10.0.0.1', partitions: 2 };
const lag = (more: Partial<Lag> = {}): Lag => ({
  records: 0,
  position: 10,
  seconds: 0,
  capped: false,
  partitions: [],
  openTransactions: [],
  ...more,
});
const live = (more: Partial<GenerationStatus> = {}) =>
  ({ number: 1, role: 'live', members: [PROJECTOR], lag: lag(), ...more }) as GenerationStatus;
const status = (generations: GenerationStatus[], more: Partial<Status> = {}): Status =>
  ({ generations, ...more }) as Status;
const codes = (given: Status) => healthOf(given).map(({ code, level }) => `${level} ${code}`);

describe('the health of a deployment', () => {
  it('is good if a projector keeps the live generation up to date', () => {
    expect(healthOf(status([live({ lag: lag({ records: 5, seconds: 59 }) })]))).to.deep.equal([]);
  });

  it('is bad without a live generation, and without a projector even if nothing is late', () => {
    expect(codes(status([]))).to.deep.equal(['bad no-live-generation']);
    expect(healthOf(status([live({ members: [] })]))).to.deep.equal([
      { code: 'projector-missing', level: 'bad', records: 0 },
    ]);
  });

  it('says once why the feed is behind', () => {
    const late = lag({ records: 9, seconds: 400 });
    expect(codes(status([live({ lag: late })]))).to.deep.equal(['bad feed-behind']);
    expect(codes(status([live({ lag: { ...late, seconds: 60 } })]))).to.deep.equal(['warn feed-behind']);
    expect(codes(status([live({ lag: { ...late, seconds: 10, capped: true } })]))).to.deep.equal([
      'bad feed-behind',
    ]);
    expect(codes(status([live({ lag: late, members: [] })]))).to.deep.equal(['bad projector-missing']);
  });

  it('does not count a builder as a projector', () => {
    const builder = { ...PROJECTOR, clientId: 'vitrine-builder-1' };
    expect(codes(status([live({ members: [builder] })]))).to.deep.equal(['bad projector-missing']);
  });

  it('names troubles, an interrupted rebuild, and the results of both verifications, worst first', () => {
    const unfinished = { number: 2, role: 'unfinished' } as GenerationStatus;
    const reconciliation = { missing: 1, extra: 2, different: 0, failed: { at: '', error: 'no space' } };
    const selfCheck = { since: '', last: { outcome: 'unrepaired', repaired: 0, unrepaired: 3 } };
    const given = status([live({ trouble: 'missing indices: a' }), unfinished], {
      reconciliation: reconciliation as Status['reconciliation'] & object,
      selfCheck: selfCheck as Status['selfCheck'] & object,
      otherModule: 'another module',
    });
    expect(codes(given)).to.deep.equal([
      'bad generation-trouble',
      'bad verify-failed',
      'warn other-rules-module',
      'warn rebuild-interrupted',
      'warn reconcile-differs',
      'warn reconcile-failed',
    ]);
    expect(codes(status([live(), unfinished], { running: { alive: true, builders: [] } }))).to.deep.equal([]);
  });
});
