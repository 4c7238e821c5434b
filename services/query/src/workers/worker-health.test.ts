import { expect } from 'chai';
import { WorkerHealth } from './worker-health.ts';

const READY = { ready: true, reasons: [] };
const UNREADY = { ready: false, reasons: ['could not search the feed'] };

describe('worker health', () => {
  const [a, b] = [{ process: { pid: 1 } }, { process: { pid: 2 } }];
  let now = 0;
  let health: WorkerHealth<typeof a>;
  let changes: string[];
  /**
   * Simulates time in the first process: every half second, each worker in `reporting` reports, and the first
   * process checks.
   */
  const pass = (ms: number, ...reporting: (typeof a)[]) => {
    for (let passed = 0; passed < ms; passed += 500) {
      now += 500;
      for (const worker of reporting) health.reported(worker, READY);
      for (const { worker, change } of health.check())
        changes.push(`${worker.process.pid} ${change} at ${now}`);
    }
  };

  beforeEach(() => {
    now = 0;
    changes = [];
    health = new WorkerHealth(() => now);
    for (const worker of [a, b]) {
      health.started(worker);
      health.reported(worker, READY);
    }
  });

  it('reports workers that respond as ready, without a change', () => {
    pass(60_000, a, b);
    expect(changes).to.deep.equal([]);
    expect(health.readiness()).to.deep.equal(READY);
    expect(health.inState('responding')).to.deep.equal([a, b]);
  });

  it('reports a silent worker once as frozen after 3 s and once as lost after 15 s', () => {
    pass(30_000, a);
    expect(changes).to.deep.equal(['2 frozen at 3000', '2 lost at 15000']);
  });

  it('lists a frozen worker, and ignores its last report', () => {
    pass(4_000, a);
    expect(health.inState('frozen')).to.deep.equal([b]);
    expect(health.readiness()).to.deep.equal({
      ready: true,
      reasons: ['process 2 has not responded for 4 s'],
    });
    health.reported(a, UNREADY);
    expect(health.readiness()).to.deep.equal({
      ready: false,
      reasons: [...UNREADY.reasons, 'process 2 has not responded for 4 s'],
    });
    pass(4_000);
    expect(health.readiness().reasons[0]).to.equal('no process responds');
  });

  it('does not replace a worker that responds again', () => {
    pass(14_500, a);
    pass(30_000, a, b);
    expect(changes).to.deep.equal(['2 frozen at 3000', '2 responds again at 15000']);
    expect(health.readiness()).to.deep.equal(READY);
  });

  it('gives a starting worker 60 s, during which it is not ready', () => {
    health.ended(b);
    health.started(b);
    pass(59_500, a);
    expect(changes).to.deep.equal([]);
    expect(health.inState('starting')).to.deep.equal([b]);
    pass(500, a);
    expect(changes).to.deep.equal(['2 lost at 60000']);
  });

  it('reports no frozen workers after the machine was suspended for an hour', () => {
    pass(5_000, a, b);
    now += 3_600_000;
    expect(health.readiness(), 'before the first report').to.deep.equal(READY);
    pass(20_000, a, b);
    expect(changes).to.deep.equal([]);
  });

  it('kills a worker 15 s of observed time after its last report, even if the machine was suspended meanwhile', () => {
    pass(10_000, a);
    now += 3_600_000;
    pass(10_000, a);
    expect(changes).to.deep.equal(['2 frozen at 3000', '2 lost at 3615500']);
  });

  it('ignores a late report of an ended worker', () => {
    health.ended(b);
    health.reported(b, UNREADY);
    pass(20_000, a);
    expect(changes).to.deep.equal([]);
    expect(health.readiness()).to.deep.equal(READY);
  });
});
