import { once } from 'node:events';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Engines, startEngines } from '../packages/engines/src/index.ts';
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';
import { filesOf, SELECTIONS } from './test-selections.ts';

/**
 * Runs the checks and the tests. The first argument names a selection of tests. `npm test` runs `quick`. The
 * end of the output repeats all failures, and its last line counts the tests. VITRINE_FULL=1 runs the long
 * forms of the tests. The exit code is 0 if everything passed, 1 if a test or check failed or no test ran, 2
 * after a wrong call, and 130 after an interrupt.
 */

/** One process of the run. */
interface Job {
  name: string;
  command: string[];
  /** The output of a job without tests has no counts. */
  counts: boolean;
}
/**
 * These engines need no optimizing compiler: in a run of one hour, it costs as much time as it saves. The tests
 * in test/alone compare times, so their engines have it.
 */
const SHORT_LIVED = { VITRINE_SHORT_LIVED_ENGINES: '1' };
/**
 * The tests start hundreds of processes from the same sources. Compiled modules save each of them a third of
 * its processor time at startup.
 */
const COMPILED = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/vitrine/compile') };
/** How long a test process may need to stop its services and engines after an interrupt. */
const STOP_GRACE_MS = 12_000;
/** kafkajs uses negative timeouts, which Node rounds up. */
const MOCHA = [
  process.execPath,
  '--disable-warning=TimeoutNegativeWarning',
  'node_modules/mocha/bin/mocha.js',
  '--forbid-only',
  '--no-color',
  '--reporter',
  './scripts/test-report.ts',
];
const ON_ENGINES = ['--config', 'test/mocharc.json', '--reporter-option', 'titles'];

exitWithReader(process.stdout, process.stderr);
const say = (text: string) => process.stdout.write(text);
const { positionals } = parseArgs({ allowPositionals: true });
const selection = SELECTIONS[positionals[0] ?? 'quick'];
if (selection === undefined || positionals.length > 1) {
  console.error(`Usage: node scripts/test.ts [${Object.keys(SELECTIONS).join(' | ')}]`);
  process.exit(2);
}
const started = performance.now();
const interrupted = new AbortController();
endOnSignals(interrupted);
const supervisor = new ProcessSupervisor();
const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const [unit, shared, alone] = [filesOf(selection.unit), filesOf(selection.shared), filesOf(selection.alone)];

const first: Job[] = [];
if (selection.checks)
  first.push({ name: 'checks', command: [process.execPath, 'scripts/check.ts'], counts: false });
if (unit.length > 0) first.push({ name: 'unit tests', command: [...MOCHA, ...unit], counts: true });
const parallel = ['--parallel', '--jobs', String(processesAtATime())];
const onShared: Job[] =
  shared.length === 0
    ? []
    : [{ name: 'shared engines', command: [...MOCHA, ...ON_ENGINES, ...parallel, ...shared], counts: true }];
const last: Job[] =
  alone.length === 0
    ? []
    : [{ name: 'tests alone', command: [...MOCHA, ...ON_ENGINES, ...alone], counts: true }];
const jobCount = first.length + onShared.length + last.length;
let begun = 0;

say(`${unit.length + shared.length + alone.length} test files\n`);
await Promise.all([runAll(first), onSharedEngines()]);
await runAll(last);

if (failures.length > 0) say(`\n── all failures\n${failures.join('')}`);
if (interrupted.signal.aborted)
  say(`\nInterrupted: ${jobCount - begun} of ${jobCount} jobs did not start.\n`);
const seconds = Math.round((performance.now() - started) / 1_000);
say(`\nin ${Math.floor(seconds / 60)} min ${seconds % 60} s\n`);
say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
const failed = total.failed > 0 || total.passed + total.skipped === 0;
process.exit(interrupted.signal.aborted ? INTERRUPTED_EXIT_CODE : failed ? 1 : 0);

/** Starts the engines, runs tests whose environment names them, and stops them. */
async function onSharedEngines(): Promise<void> {
  if (shared.length === 0) return;
  let engines: Engines | undefined;
  try {
    engines = await startEngines({
      env: { ...process.env, ...SHORT_LIVED },
      onProgress: (message) => process.stderr.write(`# ${message}\n`),
      signal: interrupted.signal,
    });
  } catch (error) {
    if (!interrupted.signal.aborted) fail('The engines did not start.', String(error), 'npm run engines');
    return;
  }
  await runAll(onShared, { ...engines.settings, ...SHORT_LIVED });
  await engines.stop();
}

async function runAll(jobs: readonly Job[], settings?: Record<string, string>): Promise<void> {
  for (const job of jobs) if (!interrupted.signal.aborted) await runJob(job, settings);
}

/** Runs a job, and prints its output as it arrives. Adds its tests and failures to the run's totals. */
async function runJob(
  { name, command: [program = '', ...args], counts }: Job,
  settings?: Record<string, string>,
): Promise<void> {
  begun++;
  const owned = supervisor.spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...COMPILED, ...settings },
  });
  const stop = () => void owned.stop(STOP_GRACE_MS);
  interrupted.signal.addEventListener('abort', stop, { once: true });
  let output = '';
  for (const name of ['stdout', 'stderr'] as const)
    owned.child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process[name].write(text);
    });
  // The code does not wait for `exited`, because the last output may arrive after that event.
  const [code] = (await once(owned.child, 'close')) as [number | null];
  interrupted.signal.removeEventListener('abort', stop);
  const found = /^(\d+) passed, (\d+) failed, (\d+) skipped\n*$/m.exec(output.slice(-200));
  if (found) {
    total.passed += Number(found[1]);
    total.failed += Number(found[2]);
    total.skipped += Number(found[3]);
  }
  const at = output.lastIndexOf('\n── failures\n');
  if (found && at >= 0) {
    // The report of a single job is already at the end.
    if (jobCount > 1)
      failures.push(
        `${output.slice(at + '\n── failures\n'.length, output.lastIndexOf(found[0])).trimEnd()}\n`,
      );
  } else if (code !== 0 && !interrupted.signal.aborted)
    fail(
      `The job "${name}" ended with ${code ?? 'a signal'}.`,
      output.slice(counts ? -4_000 : 0),
      'npm test',
    );
}

/** Records a failure outside a test. */
function fail(what: string, text: string, again: string): void {
  total.failed++;
  failures.push(`\n${what}\n${text.trim().replace(/^/gm, '   ')}\n   again: ${again}\n`);
}

/** Number of concurrent test processes. A test process mostly waits, but needs up to 3 GB with its services. */
function processesAtATime(): number {
  const wanted = Number(process.env.VITRINE_TEST_PROCESSES);
  if (wanted >= 1) return wanted;
  return Math.max(1, Math.min(4, availableParallelism() + 1, Math.floor(totalmem() / 3e9)));
}
