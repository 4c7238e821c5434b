import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';
import Mocha from 'mocha';
import type { TestResult } from './test-result.ts';

/** Environment variable that names the file for the results. */
const RESULTS_FILE = 'VITRINE_TEST_RESULTS';
const MAX_SIDE = 4_000;

/**
 * A mocha reporter that appends each result as one JSON line to the file that VITRINE_TEST_RESULTS names. The
 * file keeps the results of a process that crashes, and the tests' output cannot mix with it.
 */
export default class ResultLines {
  constructor(runner: Mocha.Runner) {
    const file = process.env[RESULTS_FILE];
    if (file === undefined) throw new Error(`${RESULTS_FILE} must name a file`);
    const write = (result: TestResult) => appendFileSync(file, `${JSON.stringify(result)}\n`);
    const of = (test: Mocha.Test) => ({
      file: test.file ?? '',
      titles: test.titlePath(),
      ms: test.duration ?? 0,
    });
    runner.on('pass', (test) => write({ ...of(test), outcome: 'passed' }));
    runner.on('pending', (test) => write({ ...of(test), outcome: 'skipped' }));
    runner.on('fail', (test, error: unknown) =>
      write({ ...of(test), outcome: 'failed', ...failureOf(error, test.file ?? '') }),
    );
  }
}

/** The text of an error with its causes and its diff, and the line of the test that threw it. */
function failureOf(error: unknown, file: string): { text: string; line?: number } {
  if (!(error instanceof Error)) return { text: inspect(error) };
  const parts: string[] = [];
  for (let cause: unknown = error; cause !== undefined && parts.length < 5; cause = (cause as Error).cause) {
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause);
    parts.push(parts.length > 0 ? `caused by ${text}` : text);
  }
  const { actual, expected, showDiff } = error as Error & {
    actual?: unknown;
    expected?: unknown;
    showDiff?: boolean;
  };
  if (showDiff !== false && actual !== undefined && expected !== undefined)
    parts.push(difference(actual, expected));
  const line = (error.stack ?? '').split('\n').find((frame) => frame.includes(file) && file !== '');
  const number = line && /:(\d+):\d+\)?$/.exec(line)?.[1];
  return { text: parts.join('\n'), ...(number && { line: Number(number) }) };
}

function difference(actual: unknown, expected: unknown): string {
  const side = (value: unknown) =>
    (typeof value === 'string' ? value : inspect(value, { depth: 8, sorted: true })).slice(0, MAX_SIDE);
  return Mocha.reporters.Base.generateDiff(side(actual), side(expected)).trim();
}
