import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CommandRun } from '../support/command-run.ts';
import { engines } from '../support/engines.ts';

const ROOT = join(import.meta.dirname, '../..');
/** This is long enough for a busy machine, which needs more than a minute to start the engines. */
const PHASE_WITHIN_MS = 240_000;
/** The bench ends within a minute after an interruption. A process that it leaks never ends. */
const GONE_WITHIN_MS = 90_000;
const INTERRUPTED = 130;

/** A line that each part of the bench prints while it prepares or measures. */
const PHASES: Record<string, string> = {
  cached: 'cached: cached page',
  polling: 'polling: 40 polling clients',
  queries: 'queries: city',
  throughput: 'throughput: city, 32 connections',
  cpu: 'cpu: CPU time per page',
  paging: 'paging: no filter',
  memory: 'memory: largest pages',
  agents: 'agents: twelve questions',
  visible: 'visible: 500 events/s',
  projector: 'projector: projector, round 1',
  replay: 'replay: replay from the topic, one event per listing',
  check: 'check: check',
  growth: 'growth: no filter',
  'rebuild-growth': 'rebuild-growth: 3000 states',
  costs: 'costs: change events',
  compare: 'compare: uncached: warm-up',
};

describe('npm run bench', () => {
  let folder: string;
  let bench: CommandRun;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-'));
  });
  afterEach(async () => {
    bench?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the command of `npm run bench` without npm. The results go to a separate folder. */
  const start = (args: readonly string[], env: NodeJS.ProcessEnv) => {
    const options = ['--items', '3000', '--output', folder];
    bench = new CommandRun([process.execPath, 'bench/main.ts', ...args, ...options], { cwd: ROOT, env });
  };
  const startOnEngines = async (...args: string[]) => start(args, (await engines()).settings);
  const startWithOwnEngines = async (...args: string[]) =>
    start(args, { KAFKA_BROKERS: '', ELASTICSEARCH_URL: '' });
  const says = (text: string) => bench.says(text, PHASE_WITHIN_MS);
  const send = (name: NodeJS.Signals) => process.kill(bench.child.pid as number, name);
  const results = async (): Promise<Record<string, { status: string; reason?: string; rows: object[] }>> =>
    JSON.parse(await readFile(join(folder, 'results.json'), 'utf8').catch(() => '{}'));
  const expectNoProcess = async () => expect(await bench.left(GONE_WITHIN_MS)).to.deep.equal([]);
  const expectExitCode = async (code: number) => {
    await bench.exited;
    expect(bench.child.exitCode, bench.output).to.equal(code);
  };
  const expectInterrupted = async () => {
    const start = performance.now();
    await expectExitCode(INTERRUPTED);
    expect(performance.now() - start).to.be.lessThan(GONE_WITHIN_MS);
    await expectNoProcess();
  };
  /** Stops the services that the bench measures. */
  const freezeServices = () => {
    for (const { pid, command } of bench.processes())
      if (command.includes('services/')) process.kill(pid, 'SIGSTOP');
  };

  it('stops each part at its time limit, marks the part as failed, and exits with 1', async () => {
    await startOnEngines('cached', 'polling', '--time-limit', '2');
    await expectExitCode(1);
    const written = await results();
    for (const part of ['cached', 'polling']) {
      expect(written[part]).to.include({
        status: 'failed',
        reason: `part ${part} did not finish within 2 s`,
      });
      expect(bench.output).to.include(`FAILED: part ${part}, 0 rows: part ${part} did not finish within 2 s`);
    }
    await expectNoProcess();
  });

  it('prints its table after Ctrl-C, and leaves no processes', async () => {
    await startOnEngines('cached');
    await says(PHASES.cached as string);
    send('SIGINT');
    await expectInterrupted();
    expect(bench.output).to.include('FAILED: part cached, 0 rows: interrupted: SIGINT');
    expect(await results()).to.deep.equal({});
  });

  it('leaves no processes after SIGKILL', async () => {
    await startOnEngines('visible');
    await says('visible: first events');
    send('SIGKILL');
    await expectNoProcess();
  });

  describe('in full', () => {
    before(function () {
      if (process.env.VITRINE_FULL !== '1') this.skip();
    });

    it('reports the step and the request at which a service stalled, and keeps the rows measured before', async () => {
      await startOnEngines('paging');
      await says('paging: one city');
      freezeServices();
      await expectExitCode(1);
      const { paging } = await results();
      expect(paging?.status).to.equal('partial');
      expect(paging?.reason).to.match(/^one city: GET \/api\/public-feed\?\S+: Headers Timeout Error$/);
      expect(paging?.rows).to.have.length(1);
      expect(bench.output).to.match(/^last page, no filter .*\(part incomplete\)$/m);
      await expectNoProcess();
    });

    for (const [part, phase] of Object.entries(PHASES)) {
      it(`leaves no processes after Ctrl-C in ${part}`, async () => {
        // These parts need their own engines, because they read the CPU time of Elasticsearch.
        if (part === 'costs') await startWithOwnEngines(part);
        else if (part === 'compare') await startWithOwnEngines(part, '--with', ROOT);
        else await startOnEngines(part);
        await says(phase);
        send('SIGINT');
        await expectInterrupted();
      });
    }

    for (const [name, phase] of Object.entries({
      'the engines start': '# engines',
      'the dataset is indexed': 'cached: dataset of',
    })) {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        it(`leaves no processes after ${signal} while ${name}`, async () => {
          await startWithOwnEngines('cached');
          await says(phase);
          send(signal);
          await expectInterrupted();
        });
      }
    }

    it('gets the right answers to its twelve questions from the tools and from /ai-feed', async () => {
      await startOnEngines('agents');
      await expectExitCode(0);
      expect((await results()).agents).to.include({ status: 'complete' });
    });

    it('ends at once after a second Ctrl-C', async () => {
      await startWithOwnEngines('queries');
      await says(PHASES.queries as string);
      send('SIGINT');
      await new Promise((resolve) => setTimeout(resolve, 600));
      send('SIGINT');
      await expectExitCode(INTERRUPTED);
      await expectNoProcess();
    });
  });
});
