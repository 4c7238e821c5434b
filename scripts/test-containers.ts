import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
  startTimeOf,
} from '../packages/runtime/src/processes/index.ts';
import { projectOf, removeLeftovers, removeProject, runCompose } from '../test/containers/support/compose.ts';
import { inspectImage } from '../test/containers/support/docker.ts';
import { missingForContainers } from '../test/containers/support/requirements.ts';
import { runMocha } from './test-run/mocha-process.ts';
import {
  duration,
  type Problem,
  renderCounts,
  renderFailures,
  renderFile,
  renderSkipped,
} from './test-run/report.ts';
import { filesOf, type Suite } from './test-run/suites.ts';
import type { TestResult } from './test-run/test-result.ts';

/**
 * `npm run test:containers` builds the images, tests the system of compose.yaml with them, and runs the
 * end-to-end tests on engines in containers. Without Docker or its images, it reports that it skipped the
 * tests. It removes everything that it has started. Exit code: 0 if everything passed or was skipped, 1 if
 * not, 130 after an interrupt.
 */
const LIMIT_MINUTES = Number(process.env['VITRINE_CONTAINERS_MINUTES'] ?? 90);
/** Targets of the Dockerfile, and the service of compose.yaml that builds each. */
const IMAGES = { projector: 'projector', query: 'query', cli: 'topics', demo: 'demo' };
/**
 * End-to-end tests that need no engines, or engines that Docker mode does not have. The tests in
 * test/contract and test/browser use the engines in the same way as the ones that run here.
 */
const WITHOUT_DOCKER: Record<string, string> = {
  bench: 'starts its own engines',
  'engines-on-odd-machines': 'tests the start with Java',
  images: 'needs no engines',
  'postgres-peer': 'needs PostgreSQL on this machine',
  'several-nodes': 'a cluster of several nodes requires Java',
};

exitWithReader(process.stdout, process.stderr);
const say = (line: string) => process.stdout.write(`${line}\n`);
const started = performance.now();
const elapsed = (since = started) => duration((performance.now() - since) / 1_000);
const results: TestResult[] = [];
const problems: Problem[] = [];
const ending = new AbortController();
endOnSignals(ending);
let isLate = false;
const timer = setTimeout(() => {
  isLate = true;
  ending.abort();
}, LIMIT_MINUTES * 60_000);
timer.unref();
const supervisor = new ProcessSupervisor();
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const system = filesOf('containers').map(({ path }) => path);
const onEngines = filesOf('e2e')
  .map(({ path }) => path)
  .filter((path) => /^test\/e2e\//.test(path) && !(nameOf(path) in WITHOUT_DOCKER));

const missing = await missingForContainers(process.env, (line) => say(`# ${line}`));
if (missing !== undefined) {
  say(`Skipped the tests with containers: ${missing}.`);
  say(`\n0 passed, 0 failed, ${system.length + onEngines.length} skipped`);
  process.exit(0);
}
for (const project of await removeLeftovers((pid) => startTimeOf(pid) !== undefined))
  say(`# Removed ${project}, which an earlier run has left`);

const revision = git('rev-parse', 'HEAD');
const env = {
  ...process.env,
  // The time of the commit and not of the build, so that two builds of a revision have the same labels.
  ...(revision && { REVISION: revision, CREATED: git('show', '--no-patch', '--format=%cI', 'HEAD') }),
  VITRINE_CONTAINERS_PID: String(process.pid),
};
try {
  await buildImages();
  if (problems.length === 0) {
    await runFiles('containers', system, env);
    await removeProject(projectOf(process.pid));
    say(`\n# End-to-end tests on engines in containers, without: ${Object.keys(WITHOUT_DOCKER).join(', ')}`);
    await runFiles('e2e', onEngines, { ...process.env, VITRINE_ENGINES: 'docker' });
  }
} finally {
  await supervisor.end();
  await removeProject(projectOf(process.pid));
}

say(`${renderSkipped(results)}${renderFailures(results, problems)}`);
if (isLate) say(`The tests took longer than ${LIMIT_MINUTES} minutes (VITRINE_CONTAINERS_MINUTES).`);
else if (ending.signal.aborted) say('Interrupted.');
say(`in ${elapsed()}\n${renderCounts(results, problems)}`);
const failed = isLate || problems.length > 0 || results.some(({ outcome }) => outcome === 'failed');
process.exit(ending.signal.aborted && !isLate ? INTERRUPTED_EXIT_CODE : failed ? 1 : 0);

/** Builds one image after the other, and prints the time and the size of each. */
async function buildImages(): Promise<void> {
  for (const [target, service] of Object.entries(IMAGES)) {
    if (ending.signal.aborted) return;
    say(`# Building the image ${target}`);
    const since = performance.now();
    const { code, stdout, stderr } = await runCompose(['--profile', '*', 'build', service], env, {
      signal: ending.signal,
    });
    if (code !== 0) {
      if (ending.signal.aborted) return;
      const text = `${stdout}${stderr}`.slice(-6_000);
      problems.push({
        what: `The image ${target} was not built.`,
        text,
        again: `docker compose build ${service}`,
      });
      return;
    }
    const { Size } = await inspectImage(`vitrine/${target}:${version}`);
    say(`# ${target}: ${Math.round(Size / 1e6)} MB, built in ${elapsed(since)}`);
  }
}

/** Runs the files in one process, and prints the results of each file when the file is done. */
async function runFiles(
  suite: Suite,
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (ending.signal.aborted) return;
  let ofFile: TestResult[] = [];
  let since = performance.now();
  const print = () => {
    const [first] = ofFile;
    if (first !== undefined)
      process.stdout.write(renderFile(suite, first.file, ofFile, (performance.now() - since) / 1_000));
    since = performance.now();
    ofFile = [];
  };
  const { code, output } = await runMocha(supervisor, suite, files, environment, ending.signal, (result) => {
    if (ofFile[0]?.file !== result.file) print();
    ofFile.push(result);
    results.push(result);
    const mark = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' }[result.outcome];
    say(`  ${mark} ${result.titles.join(' › ')} (${elapsed()})`);
  });
  print();
  const hasFailures = results.some(({ outcome }) => outcome === 'failed');
  if (hasFailures) say(output.replace(/^/gm, '  | '));
  if (code !== 0 && !hasFailures && !ending.signal.aborted)
    problems.push({
      what: `The test process ended with ${code ?? 'a signal'}.`,
      text: output,
      again: 'npm run test:containers',
    });
}

/** The output of a git command, or undefined in a folder that git does not know. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

function nameOf(path: string): string {
  return /([^/]+)\.test\.ts$/.exec(path)?.[1] ?? '';
}
