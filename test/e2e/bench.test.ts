import { expect } from 'chai';
import { type BenchProcess, startBench } from '../support/bench-process.ts';
import { engines } from '../support/engines.ts';
import { eventually } from '../support/service-process.ts';

const GONE_WITHIN_MS = 15_000;
const INTERRUPTED = 130;

/** For each part of the bench: a line that the part prints while it prepares or measures. */
const PHASES: Record<string, string> = {
  cached: 'cached: cached page',
  polling: 'polling: 40 polling clients',
  queries: 'queries: city',
  throughput: 'throughput: city, 32 connections',
  cpu: 'cpu: CPU time per page',
  paging: 'paging: no filter',
  memory: 'memory: largest pages',
  visible: 'visible: 500 events/s',
  projector: 'projector: projector, round 1',
  replay: 'replay: replay from the topic, one event per listing',
  growth: 'growth: no filter',
  costs: 'costs: change events',
};

describe('npm run bench', function () {
  this.timeout(180_000);
  let bench: BenchProcess;
  afterEach(() => bench.destroy());

  const startOnEngines = async (...args: string[]) => {
    const { settings } = await engines();
    bench = await startBench(args, settings);
  };
  const startWithOwnEngines = async (...args: string[]) => {
    bench = await startBench(args, { KAFKA_BROKERS: '', ELASTICSEARCH_URL: '' });
  };
  const expectNoProcess = () =>
    eventually(
      'no process of the bench is left',
      async () => (await bench.processes()).length === 0,
      GONE_WITHIN_MS,
    );
  const expectInterrupted = async () => {
    const start = performance.now();
    expect(await bench.exited, bench.output()).to.equal(INTERRUPTED);
    expect(performance.now() - start).to.be.lessThan(GONE_WITHIN_MS);
    await expectNoProcess();
  };

  it('stops each part at its time limit, marks the part as failed, and exits with 1', async () => {
    await startOnEngines('cached', 'polling', '--time-limit', '2');
    expect(await bench.exited).to.equal(1);
    const results = await bench.results();
    for (const part of ['cached', 'polling']) {
      expect(results[part]).to.include({
        status: 'failed',
        reason: `part ${part} did not finish within 2 s`,
      });
      expect(bench.output()).to.include(
        `FAILED: part ${part}, 0 rows: part ${part} did not finish within 2 s`,
      );
    }
    await expectNoProcess();
  });

  it('prints its table after Ctrl-C, and leaves no process', async () => {
    await startOnEngines('cached');
    await bench.printed(PHASES.cached as string);
    process.kill(bench.child.pid as number, 'SIGINT');
    await expectInterrupted();
    expect(bench.output()).to.include('FAILED: part cached, 0 rows: interrupted: SIGINT');
    expect(await bench.results()).to.deep.equal({});
  });

  it('leaves no process after SIGKILL', async () => {
    await startOnEngines('visible');
    await bench.printed('visible: first events');
    process.kill(bench.child.pid as number, 'SIGKILL');
    await expectNoProcess();
  });

  describe('in full', function () {
    this.timeout(600_000);
    before(function () {
      if (process.env.VITRINE_FULL !== '1') this.skip();
    });

    it('reports the step and the request at which a service stalled, and keeps the rows measured before', async () => {
      await startOnEngines('paging');
      await bench.printed('paging: one city');
      await bench.freezeServices();
      expect(await bench.exited).to.equal(1);
      const { paging } = await bench.results();
      expect(paging?.status).to.equal('partial');
      expect(paging?.reason).to.match(/^one city: GET \/api\/public-feed\?\S+: Headers Timeout Error$/);
      expect(paging?.rows).to.have.length(1);
      expect(bench.output()).to.match(/^last page, no filter .*\(part incomplete\)$/m);
      await expectNoProcess();
    });

    for (const [part, phase] of Object.entries(PHASES)) {
      it(`leaves no process after Ctrl-C in ${part}`, async () => {
        // `costs` needs its own engines, because it reads the CPU time of Elasticsearch.
        if (part === 'costs') await startWithOwnEngines(part);
        else await startOnEngines(part);
        await bench.printed(phase);
        process.kill(bench.child.pid as number, 'SIGINT');
        await expectInterrupted();
      });
    }

    for (const [name, phase] of Object.entries({
      'the engines start': '# engines',
      'the dataset is indexed': 'cached: dataset of',
    })) {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        it(`leaves no process after ${signal} while ${name}`, async () => {
          await startWithOwnEngines('cached');
          await bench.printed(phase);
          process.kill(bench.child.pid as number, signal);
          await expectInterrupted();
        });
      }
    }

    it('ends at once after a second Ctrl-C', async () => {
      await startWithOwnEngines('queries');
      await bench.printed(PHASES.queries as string);
      process.kill(bench.child.pid as number, 'SIGINT');
      await new Promise((resolve) => setTimeout(resolve, 600));
      process.kill(bench.child.pid as number, 'SIGINT');
      expect(await bench.exited).to.equal(INTERRUPTED);
      await expectNoProcess();
    });
  });
});
