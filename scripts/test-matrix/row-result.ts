import type { Row } from './rows.ts';

/** The outcome of a row. */
export interface RowResult {
  title: string;
  key: Row['key'];
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** Lines that the tests measured. */
  measured: string[];
  /** The failures, or the end of the output if the run has no counts. */
  failures: string;
}

/**
 * Reads the output of scripts/test.ts. A run without counts, for example after a crash,
 * counts as one failure.
 */
export function readOutput(
  output: string,
  code: number | null,
): Omit<RowResult, 'title' | 'key' | 'seconds'> {
  const [, passed, failed, skipped] = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output) ?? [];
  const measured = [...output.matchAll(/^# measured: (.+)$/gm)].map(([, line = '']) => line);
  if (passed === undefined)
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      measured,
      failures: `The tests ended with ${code ?? 'a signal'} and without counts.\n${output.slice(-2_000)}`,
    };
  const at = output.indexOf('\n── failures');
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  // A run in which no test ran has not shown that the versions work.
  const failures = at < 0 ? '' : output.slice(at).replace(/\nin .*\n.*skipped\s*$/, '');
  if (code === 0 || counts.failed > 0) return { ...counts, measured, failures };
  return { ...counts, failed: 1, measured, failures: `No test ran, or the run ended with ${code}.` };
}

/** The last line of the whole run. */
export function renderTotals(results: readonly RowResult[]): string {
  const sum = (name: 'passed' | 'failed' | 'skipped') =>
    results.reduce((total, result) => total + result[name], 0);
  return `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
}
