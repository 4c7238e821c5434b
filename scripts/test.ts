import { once } from 'node:events';
import { type Engines, startEngines } from '../packages/engines/src/index.ts';
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';
import { type Job, runJobs } from './test-run/job-queue.ts';
import { ENGINE_FILES, NODE_FILES } from './test-run/matrix-files.ts';
import { runMocha } from './test-run/mocha-process.ts';
import {
  duration,
  type Problem,
  renderCounts,
  renderFailures,
  renderFile,
  renderSkipped,
} from './test-run/report.ts';
import { filesNamed, filesOf, processesAtATime, type Suite, type TestFile } from './test-run/suites.ts';
import type { TestResult } from './test-run/test-result.ts';

/**
 * Runs tests and prints the results by file, the failures at the end, and the counts in the last line.
 *
 * The argument names the tests: `quick` (default) runs the checks, the unit tests, the end-to-end tests and
 * the core of the fault tests; `rest` runs the other fault tests; `all` runs everything; `unit`, `e2e` and
 * `faults` run one suite; the others run the tests of a row of `npm run test:matrix`. VITRINE_FULL=1 runs the long forms of the tests. Exit code: 0 if everything passed,
 * 1 if not, 130 after an interrupt.
 */
const SELECTIONS: Record<string, { checks: boolean; files: () => TestFile[] }> = {
  quick: { checks: true, files: () => everyFile().filter(({ core }) => core) },
  rest: { checks: false, files: () => everyFile().filter(({ core }) => !core) },
  all: { checks: true, files: () => everyFile() },
  unit: { checks: false, files: () => filesOf('unit') },
  e2e: { checks: false, files: () => filesOf('e2e') },
  faults: { checks: false, files: () => filesOf('faults') },
  matrix: { checks: false, files: () => filesNamed(ENGINE_FILES) },
  node: { checks: false, files: () => [...filesOf('unit'), ...filesNamed(NODE_FILES)] },
  'rolling-elasticsearch': { checks: false, files: () => filesNamed(['faults/rolling-elasticsearch']) },
  'rolling-kafka': { checks: false, files: () => filesNamed(['faults/rolling-kafka']) },
};
const everyFile = () => [...filesOf('unit'), ...filesOf('e2e'), ...filesOf('faults')];

exitWithReader(process.stdout, process.stderr);
const selection = SELECTIONS[process.argv[2] ?? 'quick'];
if (selection === undefined) {
  console.error(`Usage: node scripts/test.ts [${Object.keys(SELECTIONS).join(' | ')}]`);
  process.exit(2);
}
const started = performance.now();
const results: TestResult[] = [];
const problems: Problem[] = [];
const interrupted = new AbortController();
endOnSignals(interrupted);
const supervisor = new ProcessSupervisor();

const files = selection.files();
const shared = files.filter(({ lane, suite }) => lane !== 'alone' && suite !== 'unit');
let engines: Engines | undefined;
let enginesReady = Promise.resolve();
if (shared.length > 0)
  enginesReady = startEngines({
    onProgress: (message) => process.stderr.write(`# ${message}\n`),
    signal: interrupted.signal,
  }).then((ready) => {
    engines = ready;
  });

const unit = files.filter(({ suite }) => suite === 'unit').map(({ path }) => path);
const alone = files.filter(({ lane }) => lane === 'alone').map(({ path }) => path);
const jobs: Job[] = [];
if (selection.checks) jobs.push({ lane: 'shared', needsEngines: false, run: runChecks });
if (unit.length > 0) jobs.push(mochaJob('unit', unit, 'shared', false));
// Files with their own engines wait too, because concurrent starts of engines take longer than consecutive
// starts.
for (const { path, suite, lane } of shared) jobs.push(mochaJob(suite, [path], lane, true));
// These files run in one process that owns its engines, because only their owner can stop and freeze engines.
if (alone.length > 0) {
  const job = mochaJob('faults', alone, 'alone', false);
  jobs.push({
    ...job,
    run: async () => {
      await engines?.stop();
      engines = undefined;
      await job.run();
    },
  });
}

process.stdout.write(`${files.length} test files, up to ${processesAtATime()} processes at a time\n`);
let leftOut: Job[] = [];
try {
  leftOut = await runJobs(jobs, processesAtATime(), enginesReady, interrupted.signal);
} catch (error) {
  problems.push({ what: 'The engines did not start.', text: String(error), again: 'npm run engines' });
}
await enginesReady.catch(() => undefined);
await engines?.stop();

process.stdout.write(renderSkipped(results));
process.stdout.write(renderFailures(results, problems));
if (interrupted.signal.aborted)
  process.stdout.write(`\nInterrupted: ${leftOut.length} of ${jobs.length} jobs did not start.\n`);
process.stdout.write(
  `\nin ${duration((performance.now() - started) / 1_000)}\n${renderCounts(results, problems)}\n`,
);
const failed =
  problems.length > 0 || results.some(({ outcome }) => outcome === 'failed') || results.length === 0;
process.exit(interrupted.signal.aborted ? INTERRUPTED_EXIT_CODE : failed ? 1 : 0);

/**
 * A job that runs the files in one mocha process and prints the results of each file when the file is done.
 */
function mochaJob(suite: Suite, paths: readonly string[], lane: Job['lane'], needsEngines: boolean): Job {
  const run = async () => {
    let begun = performance.now();
    let ofFile: TestResult[] = [];
    let failures = 0;
    const print = () => {
      const [first] = ofFile;
      if (first !== undefined)
        process.stdout.write(renderFile(suite, first.file, ofFile, (performance.now() - begun) / 1_000));
      begun = performance.now();
      ofFile = [];
    };
    const env = { ...process.env, ...(lane === 'shared' && engines?.settings) };
    const { code, output } = await runMocha(supervisor, suite, paths, env, interrupted.signal, (result) => {
      if (ofFile[0]?.file !== result.file) print();
      ofFile.push(result);
      results.push(result);
      if (result.outcome === 'failed') failures++;
    });
    print();
    for (const [line] of output.matchAll(/^# measured: .+$/gm)) process.stdout.write(`${line}\n`);
    if (failures > 0) process.stdout.write(`${output.replace(/^/gm, '  | ')}\n`);
    if (code === 0 || failures > 0 || interrupted.signal.aborted) return;
    const name = paths.length > 1 ? `${suite} tests` : paths[0];
    const again = paths.length > 1 ? `npm run test:${suite}` : `npm run test:file -- ${paths[0]}`;
    problems.push({
      what: `${name}: the test process ended with ${code ?? 'a signal'}`,
      text: output,
      again,
    });
  };
  return { lane, needsEngines, run };
}

async function runChecks(): Promise<void> {
  const checks = supervisor.spawn(process.execPath, ['scripts/check.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  checks.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const interrupt = () => void checks.stop();
  interrupted.signal.addEventListener('abort', interrupt, { once: true });
  // The code does not wait for `exited`, because the last output may arrive after that event.
  const [code] = (await once(checks.child, 'close')) as [number | null];
  process.stdout.write(output);
  if (code !== 0 && !interrupted.signal.aborted)
    problems.push({ what: 'A check failed.', text: output, again: 'npm run check' });
}
