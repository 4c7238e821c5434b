import { relative } from 'node:path';
import { inspect } from 'node:util';
import Mocha from 'mocha';

const SLOW_MS = 5_000;
const MAX_SIDE = 4_000;
const MARK = { passed: '✔', failed: '✘', skipped: '-' } as const;

/** The result of one test, or of a hook that failed. */
export interface TestResult {
  /** Path of the test file, relative to the repository. */
  file: string;
  /** The titles of the suites and of the test. */
  titles: string[];
  outcome: keyof typeof MARK;
  ms: number;
  /** The error of a failed test. */
  text?: string;
}

/**
 * A reporter of mocha that prints a file's results when the file is done. The end of its output lists the
 * skipped tests, then the failures with the commands that repeat them, and the counts in the last line. The
 * long form (`--reporter-option titles`) also prints the titles of tests that passed.
 */
export default class TestReport {
  constructor(runner: Mocha.Runner, { reporterOptions }: { reporterOptions?: { titles?: boolean } }) {
    const results: TestResult[] = [];
    let ofFile: TestResult[] = [];
    const print = () => {
      if (ofFile.length > 0) process.stdout.write(renderFile(ofFile, reporterOptions?.titles === true));
      ofFile = [];
    };
    const add = (test: Mocha.Test, outcome: TestResult['outcome'], text?: string) => {
      const file = test.file === undefined ? '' : relative(process.cwd(), test.file);
      if (ofFile[0] !== undefined && ofFile[0].file !== file) print();
      const result = {
        file,
        titles: test.titlePath(),
        outcome,
        ms: test.duration ?? 0,
        ...(text && { text }),
      };
      ofFile.push(result);
      results.push(result);
    };
    runner.on('pass', (test) => add(test, 'passed'));
    runner.on('pending', (test) => add(test, 'skipped'));
    runner.on('fail', (test, error: unknown) => add(test, 'failed', failureText(error)));
    // With --parallel, each file has a root suite of its own.
    runner.on('suite end', ({ root }) => {
      if (root) print();
    });
    // After a worker process has crashed, mocha reports the end of the run more than once.
    process.once('exit', () => {
      print();
      process.stdout.write(renderEnd(results));
    });
  }
}

/** A line with the file's counts, and the titles of its tests. Pure. */
export function renderFile(results: readonly TestResult[], titles: boolean): string {
  const { passed, failed, skipped } = countsOf(results);
  const counts = [`${passed} passed`, failed && `${failed} FAILED`, skipped && `${skipped} skipped`];
  const mark = MARK[failed > 0 ? 'failed' : 'passed'];
  const lines = [`${mark} ${results[0]?.file}: ${counts.filter(Boolean).join(', ')}`];
  let suites: string[] = [];
  for (const { titles: path, outcome, ms } of results) {
    if (outcome === 'passed' && !titles) continue;
    const above = path.slice(0, -1);
    const shared = above.findIndex((name, depth) => name !== suites[depth]);
    above.forEach((name, depth) => {
      if (shared >= 0 && depth >= shared) lines.push(`${'  '.repeat(depth + 1)}${name}`);
    });
    suites = above;
    const slow = ms >= SLOW_MS ? ` (${Math.round(ms / 1_000)} s)` : '';
    lines.push(`${'  '.repeat(above.length + 1)}${MARK[outcome]} ${path.at(-1)}${slow}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The skipped tests, the failures, and the counts in the last line. Pure. */
export function renderEnd(results: readonly TestResult[]): string {
  const { passed, failed, skipped } = countsOf(results);
  const name = ({ file, titles }: TestResult) => `${file}: ${titles.join(' › ')}`;
  const left = results.filter(({ outcome }) => outcome === 'skipped').map((test) => `- ${name(test)}\n`);
  const failures = results
    .filter(({ outcome }) => outcome === 'failed')
    .map((test) => `\n${name(test)}\n${indented(test.text ?? '')}\n   again: ${rerunCommand(test)}\n`);
  return [
    ...(skipped > 0 ? ['\n── skipped\n', ...left] : []),
    ...(failed > 0 ? ['\n── failures\n', ...failures] : []),
    `\n${passed} passed, ${failed} failed, ${skipped} skipped\n`,
  ].join('');
}

/** The command that runs a test again. A hook has no title of its own, so its whole suite runs. */
function rerunCommand({ file, titles }: TestResult): string {
  const words = /^"(before|after) (all|each)" hook/.test(titles.at(-1) ?? '') ? titles.slice(0, -1) : titles;
  const quoted = words.join(' ').replaceAll("'", `'\\''`);
  return `npm run test:file -- ${file}${quoted === '' ? '' : ` -f '${quoted}'`}`;
}

function countsOf(results: readonly TestResult[]): Record<TestResult['outcome'], number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

/** With --parallel, an error arrives as a copy that is not an Error. */
const isError = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;

/** The text of an error, and the difference between the expected and the actual value. */
function failureText(error: unknown): string {
  if (!isError(error)) return inspect(error);
  const { actual, expected, showDiff } = error as Error & Record<'actual' | 'expected' | 'showDiff', unknown>;
  const cause = error.cause === undefined ? '' : `\ncaused by ${inspect(error.cause)}`;
  const text = `${error.stack ?? error.message}${cause}`;
  if (showDiff === false || actual === undefined || expected === undefined) return text;
  const side = (value: unknown) =>
    (typeof value === 'string' ? value : inspect(value, { depth: 8, sorted: true })).slice(0, MAX_SIDE);
  return `${text}\n${Mocha.reporters.Base.generateDiff(side(actual), side(expected)).trim()}`;
}

const indented = (text: string) => text.replace(/^/gm, '   ');
