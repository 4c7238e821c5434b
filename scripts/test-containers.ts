import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
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

/**
 * `npm run test:containers` builds the images, runs the end-to-end tests on engines in containers, and tests
 * compose.yaml's system with the images. Without Docker or the images that it needs, the command reports that
 * it skipped the tests. It removes everything that it has started. The exit code is 0 if everything passed or
 * was skipped, 1 if not, and 130 after an interrupt.
 */
const LIMIT_MINUTES = Number(process.env['VITRINE_CONTAINERS_MINUTES'] ?? 90);
const STOP_GRACE_MS = 30_000;
/** The Dockerfile's targets, and the service in compose.yaml that builds each. */
const IMAGES = { projector: 'projector', ingest: 'ingest', query: 'query', cli: 'topics', demo: 'demo' };

exitWithReader(process.stdout, process.stderr);
const say = (line: string) => process.stdout.write(`${line}\n`);
const ending = new AbortController();
endOnSignals(ending);
const late = AbortSignal.timeout(LIMIT_MINUTES * 60_000);
const stopped = AbortSignal.any([ending.signal, late]);
const supervisor = new ProcessSupervisor();
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const missing = await missingForContainers(process.env, (line) => say(`# ${line}`));
if (missing !== undefined) {
  say(`Skipped the tests with containers: ${missing}.`);
  say(`\n0 passed, 0 failed, ${globSync('test/containers/*.test.ts').length} skipped`);
  process.exit(0);
}
for (const project of await removeLeftovers((pid) => startTimeOf(pid) !== undefined))
  say(`# Removed ${project}, which an earlier run has left`);

const revision = git('rev-parse', 'HEAD');
const env = {
  ...process.env,
  // The commit's time and not the build's time, so that two builds of a revision have the same labels.
  ...(revision && { REVISION: revision, CREATED: git('show', '--no-patch', '--format=%cI', 'HEAD') }),
  VITRINE_CONTAINERS_PID: String(process.pid),
  VITRINE_ENGINES: 'docker',
};
let passed = false;
try {
  if (await buildImages()) {
    const tests = supervisor.spawn(process.execPath, ['scripts/test.ts', 'containers'], {
      stdio: 'inherit',
      env,
    });
    stopped.addEventListener('abort', () => void tests.stop(STOP_GRACE_MS));
    passed = (await tests.exited).code === 0;
  }
} finally {
  await supervisor.end();
  await removeProject(projectOf(process.pid));
}
if (late.aborted) say(`The tests took longer than ${LIMIT_MINUTES} minutes (VITRINE_CONTAINERS_MINUTES).`);
process.exit(ending.signal.aborted ? INTERRUPTED_EXIT_CODE : passed ? 0 : 1);

/** Builds one image after the other, and prints the size of each. Returns false if a build failed. */
async function buildImages(): Promise<boolean> {
  for (const [target, service] of Object.entries(IMAGES)) {
    say(`# Building the image ${target}`);
    const { code, stdout, stderr } = await runCompose(['--profile', '*', 'build', service], env, {
      signal: stopped,
    });
    if (code !== 0) {
      say(`The image ${target} was not built:\n${`${stdout}${stderr}`.slice(-6_000)}`);
      return false;
    }
    const { Size } = await inspectImage(`vitrine/${target}:${version}`);
    say(`# ${target}: ${Math.round(Size / 1e6)} MB`);
  }
  return true;
}

/** The output of a git command, or undefined in a folder that git does not know. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
