import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { CommandRun, freePorts, hasTerminals } from '../support/command-run.ts';
import { engines } from '../support/engines.ts';
import { eventually } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const FULL = process.env.VITRINE_FULL === '1';
/** No process may be left after this long. */
const LEFT_AFTER_MS = 60_000;
const SECOND_PRESS_MS = 700;
/** Longer than a test waits for the end of a command's processes. */
const LONG_GRACE_MS = 5 * LEFT_AFTER_MS;
/** Matches the process that installs the packages, but not the shell that started it. */
const PREPARE = /^\S*node scripts\/prepare\.mjs/;
/** Matches npm's own process, by its title or, while it starts, by its command line. */
const NPM = /^npm |\/npm(-cli\.js)? /;

interface Ending {
  /** Whether the command runs in its own terminal. */
  readonly terminal?: boolean;
  end(run: CommandRun, main: string | RegExp): Promise<void>;
}

const signalTo = async (run: CommandRun, commandLine: string | RegExp, signal: NodeJS.Signals) =>
  void process.kill(await run.pidOf(commandLine), signal);

/** The ways in which a command can end early. `main` matches the command line of the main process. */
const ENDINGS = {
  'Ctrl-C': { end: async (run) => run.interrupt() },
  'Ctrl-C twice': {
    end: async (run) => {
      run.interrupt();
      await delay(SECOND_PRESS_MS);
      run.interrupt();
    },
  },
  'SIGINT to npm alone': { end: (run) => signalTo(run, NPM, 'SIGINT') },
  'SIGTERM to npm': { end: (run) => signalTo(run, NPM, 'SIGTERM') },
  'SIGTERM to npm in a terminal': { terminal: true, end: (run) => signalTo(run, NPM, 'SIGTERM') },
  'SIGKILL of npm': { end: (run) => signalTo(run, NPM, 'SIGKILL') },
  'SIGKILL of the main process': { end: (run, main) => signalTo(run, main, 'SIGKILL') },
  'a closed terminal': { terminal: true, end: (run) => signalTo(run, '/usr/bin/script', 'SIGKILL') },
} satisfies Record<string, Ending>;
type Way = keyof typeof ENDINGS;

/**
 * The phases of `npm start` after the installation: for each phase, the line that begins it, and the time
 * from this line to the end, in milliseconds.
 */
const PHASES = {
  'the engine download': { line: /Downloading Kafka/, afterMs: 500 },
  'the engine start': { line: /Starting kafka and elasticsearch with Java/, afterMs: 3_000 },
  'the start of the services': { line: /Topic \S+: /, afterMs: 200 },
  'the publication of the demo': { line: /\d+ of \d+ events/, afterMs: 0 },
  'normal operation': { line: /Ctrl-C stops everything/, afterMs: 1_000 },
} as const;
type Phase = keyof typeof PHASES;

/** The short form covers each phase and, together with the last test, each way of ending. */
const SAMPLE: readonly (readonly [Phase, Way])[] = [
  ['the engine download', 'SIGTERM to npm'],
  ['the engine download', 'Ctrl-C twice'],
  ['the engine start', 'SIGINT to npm alone'],
  ['the engine start', 'SIGKILL of the main process'],
  ['the start of the services', 'SIGKILL of npm'],
  ['the publication of the demo', 'a closed terminal'],
  ['normal operation', 'SIGTERM to npm in a terminal'],
];
const WAYS = Object.keys(ENDINGS) as Way[];
const EVERY = (Object.keys(PHASES) as Phase[]).flatMap((phase) => WAYS.map((way) => [phase, way] as const));
/**
 * If only npm receives SIGINT, the shell that runs the installation handles the signal after the
 * installation. Ctrl-C in a terminal also reaches the installation itself.
 */
const INSTALL_WAYS: readonly Way[] = FULL
  ? WAYS.filter((way) => way !== 'SIGINT to npm alone')
  : ['Ctrl-C', 'SIGTERM to npm', 'SIGKILL of npm', 'SIGKILL of the main process'];

describe('commands that end early', () => {
  let folder: string;
  let npm: string;
  const runs: CommandRun[] = [];

  const run = (...[command, options]: ConstructorParameters<typeof CommandRun>): CommandRun => {
    const started = new CommandRun(command, options);
    runs.push(started);
    return started;
  };
  const expectNothingLeft = async (started: CommandRun) =>
    expect(
      await started.left(LEFT_AFTER_MS),
      `processes that are left. The output:\n${started.output}`,
    ).to.deep.equal([]);
  /** Ends the command in this way, and expects the command and all its processes to end. */
  const expectEnd = async (started: CommandRun, way: Way, main: string | RegExp) => {
    expect(started.processes()).to.have.length.above(1);
    const ending: Ending = ENDINGS[way];
    await ending.end(started, main);
    await expectNothingLeft(started);
  };
  /** A PATH that begins with a new folder, which contains only this program. */
  const pathWith = (name: string, script: string): string => {
    const bin = mkdtempSync(join(folder, 'bin-'));
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return `${bin}${delimiter}${process.env.PATH}`;
  };

  before(function () {
    if (process.platform !== 'linux') this.skip();
    folder = mkdtempSync(join(tmpdir(), 'vitrine-endings-'));
    chmodSync(folder, 0o755); // root's engines run as another user, which must be able to read this folder
    npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  });
  afterEach(() => {
    for (const started of runs.splice(0)) started.kill();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  describe('the installation of the packages', () => {
    const SLOW = 'echo "npm ci runs" >&2; sleep 300 & wait';
    const WORKING = 'mkdir -p node_modules/.bin; ln -sf "$(command -v node)" node_modules/.bin/node';
    let clone: string;

    /** Creates a clone without packages, in which a program that prints one line replaces the demo. */
    beforeEach(() => {
      clone = mkdtempSync(join(folder, 'clone-'));
      for (const path of ['package.json', 'package-lock.json', 'scripts', 'packages/runtime/src/processes'])
        cpSync(join(ROOT, path), join(clone, path), { recursive: true });
      // The pages need the packages, which this clone never receives.
      mkdirSync(join(clone, 'packages', 'web'));
      writeFileSync(join(clone, 'packages/web/build.mjs'), 'export const buildPages = async () => {};\n');
      mkdirSync(join(clone, 'demo', 'src'), { recursive: true });
      writeFileSync(join(clone, 'demo', 'src', 'main.ts'), "console.log('started');\n");
    });

    const start = (script: string, terminal = false, env: NodeJS.ProcessEnv = {}) =>
      run([npm, 'start'], { cwd: clone, env: { ...env, PATH: pathWith('npm', script) }, terminal });
    const expectStart = async () => {
      const again = start(WORKING);
      await again.says(/^started$/m);
      await expectNothingLeft(again);
    };

    for (const way of INSTALL_WAYS)
      it(`leaves no processes after ${way}, and the next start works`, async function () {
        const { terminal = false }: Ending = ENDINGS[way];
        if (terminal && !hasTerminals) this.skip();
        const started = start(SLOW, terminal);
        await started.says(/npm ci runs/);
        await expectEnd(started, way, PREPARE);
        await expectStart();
      });

    it('leaves no processes after SIGKILL of the main process while the cleanup process still starts', async () => {
      const slowStart = join(clone, 'slow-start.mjs');
      const wait = 'await new Promise((resolve) => setTimeout(resolve, 3_000));';
      writeFileSync(slowStart, `if (process.argv[1]?.includes('cleanup-process')) ${wait}\n`);
      const started = start(SLOW, false, { NODE_OPTIONS: `--import=${slowStart}` });
      await started.says(/npm ci runs/);
      await expectEnd(started, 'SIGKILL of the main process', PREPARE);
    });

    it('kills an `npm ci` that ignores the first Ctrl-C after the second Ctrl-C', async () => {
      // `npm ci` gets so much time to end by itself that only the second press can end it in time.
      const longGrace = join(clone, 'long-grace.mjs');
      writeFileSync(
        longGrace,
        `const { setTimeout } = globalThis;
        if (process.argv[1]?.includes('prepare.mjs'))
          globalThis.setTimeout = (then, ms) => setTimeout(then, ms === 5_000 ? ${LONG_GRACE_MS} : ms);\n`,
      );
      const started = start(
        'trap "echo first press >&2" INT TERM; echo "npm ci runs" >&2; while :; do sleep 1; done',
        false,
        { NODE_OPTIONS: `--import=${longGrace}` },
      );
      await started.says(/npm ci runs/);
      expect(started.processes()).to.have.length.above(1);
      started.interrupt();
      await started.says(/first press/);
      await delay(SECOND_PRESS_MS);
      const pressedAt = performance.now();
      started.interrupt();
      await expectNothingLeft(started);
      expect(performance.now() - pressedAt, 'milliseconds').to.be.below(LONG_GRACE_MS);
      expect(await started.exited).to.equal(130);
    });

    it('leaves no processes after an `npm ci` that failed and left a child', async () => {
      const failed = start('echo "npm ci runs" >&2; sleep 300 & exit 1');
      await failed.says(/npm ci failed/);
      await expectNothingLeft(failed);
      expect(await failed.exited).to.equal(1);
    });

    it('happens once if two commands start, and the second command names the process that it waits for', async () => {
      const first = start(`echo install >> installs; while [ ! -e go ]; do sleep 0.1; done; ${WORKING}`);
      await first.says(/Installing packages/);
      const second = start(`echo install >> installs; ${WORKING}`);
      await second.says(/Waiting for process \d+, which installs the packages/);
      writeFileSync(join(clone, 'go'), '');
      await Promise.all([first.says(/^started$/m), second.says(/^started$/m)]);
      expect(readFileSync(join(clone, 'installs'), 'utf8')).to.equal('install\n');
    });

    it("takes over a dead process's lock, and ends that process's `npm ci`", async () => {
      const dead = start(`${SLOW}`);
      await dead.says(/npm ci runs/);
      // The child may print that it runs before its parent has recorded the child's process id.
      const lock = join(clone, '.vitrine-installing');
      await eventually('the lock names the `npm ci`', async () =>
        readFileSync(lock, 'utf8').includes('"npm"'),
      );
      const cleanup = await dead.pidOf('cleanup-process.mjs');
      process.kill(cleanup, 'SIGKILL');
      await signalTo(dead, PREPARE, 'SIGKILL');
      await expectStart();
      await expectNothingLeft(dead);
    });

    if (FULL)
      it('succeeds with the real npm after earlier attempts were interrupted', async () => {
        const whole = join(folder, 'whole');
        execFileSync('git', ['clone', '--quiet', ROOT, whole]);
        for (const way of ['Ctrl-C', 'SIGKILL of the main process'] as const) {
          const started = run([npm, 'run', 'engines', '--', '--help'], { cwd: whole, env: {} });
          await started.says(/Installing packages/);
          await delay(6_000);
          await expectEnd(started, way, PREPARE);
        }
        const last = run([npm, 'run', 'engines', '--', '--help'], { cwd: whole, env: {} });
        await last.says(/npm run engines \[-- options\]/, 600_000);
      });
  });

  describe('npm start', () => {
    /** A start takes 20 s on a quiet machine, and more than two minutes alongside other work. */
    const START_MS = 300_000;
    const OWN_ENGINES = { KAFKA_BROKERS: '', ELASTICSEARCH_URL: '', VITRINE_ENGINES: 'java' };
    let env: NodeJS.ProcessEnv;
    let starts = 0;

    before(async () => {
      const port = await freePorts();
      env = {
        PORT: String(port),
        ADMIN_PORT: String(port + 1),
        CONSOLE_PORT: String(port + 3),
        SITE_PORT: String(port + 4),
        LOG_LEVEL: '',
        FEED_TODAY: '',
        BASE_PATH: '',
      };
    });

    /** In the short form, the phases after the start of the engines use the test run's engines. */
    const environmentOf = async (phase: Phase): Promise<NodeJS.ProcessEnv> => {
      if (phase === 'the engine download')
        return {
          ...OWN_ENGINES,
          VITRINE_CACHE: join(folder, 'cache'),
          PATH: pathWith('mvn', 'sleep 300 & wait'),
        };
      if (FULL || phase === 'the engine start') return OWN_ENGINES;
      const name = `endings-${process.pid}-${++starts}`;
      return {
        ...(await engines()).settings,
        LISTING_EVENTS_TOPIC: `${name}.events`,
        INDEX_PREFIX: name,
        CONSUMER_GROUP: name,
      };
    };

    for (const [phase, way] of FULL ? EVERY : SAMPLE)
      it(`leaves no processes after ${way} during ${phase}`, async function () {
        const { terminal = false }: Ending = ENDINGS[way];
        if (terminal && !hasTerminals) this.skip();
        const started = run([npm, 'start'], {
          cwd: ROOT,
          env: { ...env, ...(await environmentOf(phase)) },
          terminal,
        });
        const { line, afterMs } = PHASES[phase];
        await started.says(line, START_MS);
        await delay(afterMs);
        await expectEnd(started, way, 'demo/src/main.ts');
      });

    it('works after it has ended in all these ways', async () => {
      const started = run([npm, 'start'], {
        cwd: ROOT,
        env: { ...env, ...(await environmentOf('normal operation')) },
      });
      await started.says(PHASES['normal operation'].line, START_MS);
      await expectEnd(started, 'Ctrl-C', 'demo/src/main.ts');
    });
  });

  describe('npm test', () => {
    for (const way of FULL ? WAYS : (['Ctrl-C', 'SIGTERM to npm'] as const))
      it(`ends the whole run after ${way}`, async function () {
        const { terminal = false }: Ending = ENDINGS[way];
        if (terminal && !hasTerminals) this.skip();
        const started = run([npm, 'test'], { cwd: ROOT, env: (await engines()).settings, terminal });
        await started.says(/\d+ test files/);
        await delay(3_000);
        await expectEnd(started, way, 'scripts/test.ts');
        if (way !== 'Ctrl-C') return;
        expect(started.output).to.match(/Interrupted: \d+ of \d+ jobs did not start/);
        expect(await started.exited).to.equal(130);
      });
  });

  it('`npm run query` ends its service if npm is killed', async () => {
    const { settings } = await engines();
    const started = run([npm, 'run', 'query'], {
      cwd: ROOT,
      env: { ...settings, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info' },
    });
    await started.says(/the feeds are served/);
    await expectEnd(started, 'SIGKILL of npm', 'services/query/src/main.ts');
  });
});
