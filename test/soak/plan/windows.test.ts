import { expect } from 'chai';
import { type Failure, type FaultWindow, permittedBy } from './windows.ts';

const DECLARED: Failure = { kind: 'status', status: 503, retryAfter: '5' };
const CUT: Failure = { kind: 'connection' };
const LATE: Failure = { kind: 'timeout' };
const window = (kind: FaultWindow['kind'], target = 0): FaultWindow => ({
  kind,
  target,
  from: 100_000,
  to: 110_000,
});
const at = (from: number, { service = 1, isExport = false, to = from + 10 } = {}) => ({
  service,
  from,
  to,
  isExport,
});

describe('permittedBy', () => {
  it('permits a 503 with Retry-After only while Elasticsearch is away, and 20 s longer', () => {
    const windows = [window('restart-elasticsearch')];
    expect(permittedBy(DECLARED, at(105_000), windows)).to.equal('restart-elasticsearch');
    expect(permittedBy(DECLARED, at(129_000), windows)).to.equal('restart-elasticsearch');
    expect(permittedBy(DECLARED, at(95_000, { to: 101_000 }), windows)).to.equal('restart-elasticsearch');
    expect(permittedBy(DECLARED, at(131_000), windows)).to.equal(undefined);
    expect(permittedBy(DECLARED, at(90_000), windows)).to.equal(undefined);
    expect(permittedBy({ ...DECLARED, retryAfter: null }, at(105_000), windows)).to.equal(undefined);
    expect(permittedBy({ ...DECLARED, status: 500 }, at(105_000), windows)).to.equal(undefined);
    expect(permittedBy(LATE, at(105_000), windows)).to.equal(undefined);
  });

  it('permits only an export to break off while Elasticsearch is away', () => {
    const windows = [window('kill-elasticsearch')];
    expect(permittedBy(CUT, at(105_000), windows)).to.equal(undefined);
    expect(permittedBy(CUT, at(105_000, { isExport: true }), windows)).to.equal('kill-elasticsearch');
  });

  it('permits a lost connection only to the service that is killed', () => {
    const windows = [window('kill-query', 2)];
    expect(permittedBy(CUT, at(105_000, { service: 2 }), windows)).to.equal('kill-query');
    expect(permittedBy(CUT, at(105_000, { service: 1 }), windows)).to.equal(undefined);
    expect(permittedBy(DECLARED, at(105_000, { service: 2 }), windows)).to.equal(undefined);
    expect(permittedBy(CUT, at(112_000, { service: 2 }), windows)).to.equal(undefined);
  });

  it('permits a timeout only of the suspended service', () => {
    const windows = [window('suspend-query', 1)];
    expect(permittedBy(LATE, at(105_000), windows)).to.equal('suspend-query');
    expect(permittedBy(LATE, at(105_000, { service: 2 }), windows)).to.equal(undefined);
    expect(permittedBy(CUT, at(105_000), windows)).to.equal(undefined);
  });

  it('permits nothing during faults of Kafka and of projectors, or without a fault', () => {
    const windows = [window('kill-kafka'), window('kill-projector', 1), window('full-disk')];
    for (const failure of [DECLARED, CUT, LATE])
      for (const some of [windows, []]) expect(permittedBy(failure, at(105_000), some)).to.equal(undefined);
  });

  it('permits failures during a fault that lasts', () => {
    const lasting = { ...window('freeze-elasticsearch'), to: undefined };
    expect(permittedBy(DECLARED, at(900_000), [lasting])).to.equal('freeze-elasticsearch');
  });
});
