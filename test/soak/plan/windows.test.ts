import { expect } from 'chai';
import { type Exit, exitPermittedBy, type Failure, type FaultWindow, permittedBy } from './windows.ts';

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

  it('permits a 503 with Retry-After only to an export of the service that is terminated', () => {
    const windows = [window('terminate-query', 2)];
    const exportOf = (service: number) => at(105_000, { service, isExport: true });
    expect(permittedBy(DECLARED, exportOf(2), windows)).to.equal('terminate-query');
    expect(permittedBy({ ...DECLARED, retryAfter: null }, exportOf(2), windows)).to.equal(undefined);
    expect(permittedBy(DECLARED, exportOf(1), windows)).to.equal(undefined);
    expect(permittedBy(DECLARED, at(105_000, { service: 2 }), windows)).to.equal(undefined);
    expect(permittedBy(CUT, at(105_000, { service: 2 }), windows)).to.equal('terminate-query');
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

describe('exitPermittedBy', () => {
  const exitOf = (of: Exit['of'], number = 1, code: number | null = 1): Exit => ({ of, number, code });
  const ENGINES = ['restart-kafka', 'freeze-kafka', 'kill-elasticsearch', 'full-disk'] as const;

  it('permits an exit of a projector within 60 s of a fault of an engine', () => {
    for (const kind of ENGINES) {
      expect(exitPermittedBy(exitOf('projector'), 169_000, [window(kind)])).to.equal(kind);
      expect(exitPermittedBy(exitOf('projector'), 171_000, [window(kind)])).to.equal(undefined);
      expect(exitPermittedBy(exitOf('projector'), 99_000, [window(kind)])).to.equal(undefined);
      expect(exitPermittedBy(exitOf('projector'), 900_000, [{ ...window(kind), to: undefined }])).to.equal(
        kind,
      );
    }
  });

  it('permits an exit of a projector after a fault of the same projector only', () => {
    const windows = [window('suspend-projector-beyond-its-session', 2), window('third-projector')];
    expect(exitPermittedBy(exitOf('projector', 2), 120_000, windows)).to.equal(windows[0]?.kind);
    expect(exitPermittedBy(exitOf('projector', 1), 120_000, windows)).to.equal(undefined);
    const others = [window('kill-query', 1), window('suspend-query', 1), window('kill-follower', 1)];
    expect(exitPermittedBy(exitOf('projector', 1), 105_000, others)).to.equal(undefined);
  });

  it('permits an exit of an ingest after a fault of Kafka, but not of Elasticsearch', () => {
    expect(exitPermittedBy(exitOf('ingest'), 169_000, [window('freeze-kafka')])).to.equal('freeze-kafka');
    expect(exitPermittedBy(exitOf('ingest'), 105_000, [window('kill-elasticsearch')])).to.equal(undefined);
    expect(exitPermittedBy(exitOf('ingest'), 105_000, [window('kill-projector', 1)])).to.equal(undefined);
  });

  it('permits an exit of a query service during its own fault only', () => {
    for (const kind of ENGINES)
      expect(exitPermittedBy(exitOf('query'), 105_000, [window(kind)])).to.equal(undefined);
    const windows = [window('suspend-query', 2), window('kill-projector', 1)];
    expect(exitPermittedBy(exitOf('query', 2), 114_000, windows)).to.equal('suspend-query');
    expect(exitPermittedBy(exitOf('query', 2), 116_000, windows)).to.equal(undefined);
    expect(exitPermittedBy(exitOf('query', 1), 105_000, windows)).to.equal(undefined);
  });

  it('permits no exit by a signal, and none of a follower', () => {
    const windows = [window('kill-kafka'), window('kill-projector', 1), window('kill-follower', 1)];
    expect(exitPermittedBy(exitOf('projector', 1, null), 105_000, windows)).to.equal(undefined);
    expect(exitPermittedBy(exitOf('follower'), 105_000, windows)).to.equal(undefined);
  });
});
