import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { ProcessSupervisor } from '../../packages/runtime/src/processes/index.ts';
import { MOCHA, type Suite } from './suites.ts';
import type { TestResult } from './test-result.ts';

/**
 * A process counts as hung if it reports no results for this long. No test takes longer than its suite's
 * timeout of 10 minutes.
 */
const SILENCE_MS = 15 * 60_000;
/** How long a test process may need to stop its services and engines after an interrupt. */
export const STOP_GRACE_MS = 12_000;
const OUTPUT_KEPT = 20_000;
const POLL_MS = 500;
const REPORTER = join(import.meta.dirname, 'result-lines.ts');

export interface ProcessOutcome {
  /** Exit code, or null after a signal. */
  code: number | null;
  /** The last part of the output of the tests and their services. */
  output: string;
}

/**
 * Runs test files of one suite in one mocha process.
 * @param onResult receives each result within a second. The path in a result is relative to the working
 *   directory
 */
export async function runMocha(
  supervisor: ProcessSupervisor,
  suite: Suite,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  onResult: (result: TestResult) => void,
): Promise<ProcessOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'));
  const lines = join(folder, 'results');
  let read = 0;
  let silentSince = performance.now();
  const readResults = () => {
    const text = readIfPresent(lines).slice(read);
    const whole = text.lastIndexOf('\n') + 1;
    read += whole;
    if (whole > 0) silentSince = performance.now();
    for (const line of text.slice(0, whole).split('\n').filter(Boolean)) {
      const result = JSON.parse(line) as TestResult;
      onResult({
        ...result,
        file: isAbsolute(result.file) ? relative(process.cwd(), result.file) : result.file,
      });
    }
  };
  const arguments_ = [
    '--no-config',
    ...MOCHA[suite],
    '--forbid-only',
    '--no-color',
    '--reporter',
    REPORTER,
    ...files,
  ];
  const mocha = supervisor.spawn('mocha', arguments_, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...testEnvironment(env), VITRINE_TEST_RESULTS: lines },
  });
  let output = '';
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-OUTPUT_KEPT);
  };
  for (const stream of [mocha.child.stdout, mocha.child.stderr]) stream?.setEncoding('utf8').on('data', keep);
  const interrupt = () => void mocha.stop(STOP_GRACE_MS);
  signal.addEventListener('abort', interrupt, { once: true });
  const timer = setInterval(() => {
    readResults();
    if (performance.now() - silentSince < SILENCE_MS) return;
    keep(
      `\nThe run killed this process, because it reported no results for ${SILENCE_MS / 60_000} minutes.\n`,
    );
    void mocha.stop(0);
  }, POLL_MS);
  // The code does not wait for 'close', because a service that outlives its test would hold the pipes open.
  const { code } = await mocha.exited;
  clearInterval(timer);
  signal.removeEventListener('abort', interrupt);
  readResults();
  rmSync(folder, { recursive: true });
  return { code, output };
}

/**
 * The environment of test processes. It suppresses Node's warning about negative timeouts of kafkajs, which
 * Node rounds up.
 */
export function testEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --disable-warning=TimeoutNegativeWarning` };
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
