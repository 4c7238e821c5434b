import type { Suite } from './suites.ts';
import type { TestResult } from './test-result.ts';

/** A failure of the run outside of a test: a check, a process that crashed, engines that did not start. */
export interface Problem {
  what: string;
  text: string;
  /** The command that repeats the failed step. */
  again: string;
}

const MARK = { passed: '✔', failed: '✘', skipped: '-' } as const;
const SHOWN_SECONDS = 5;

/**
 * The results of one file: a line with counts, and the titles. Unit tests show the titles of failed tests
 * only.
 */
export function renderFile(
  suite: Suite,
  file: string,
  results: readonly TestResult[],
  seconds: number,
): string {
  const count = (outcome: TestResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  const counts = [
    `${count('passed')} passed`,
    count('failed') && `${count('failed')} FAILED`,
    count('skipped') && `${count('skipped')} skipped`,
  ];
  const lines = [
    `${count('failed') > 0 ? MARK.failed : MARK.passed} ${file}: ${counts.filter(Boolean).join(', ')} in ` +
      `${duration(seconds)}`,
  ];
  let suites: string[] = [];
  for (const { titles, outcome, ms } of results) {
    if (suite === 'unit' && outcome === 'passed') continue;
    const title = titles.at(-1) ?? '';
    const above = titles.slice(0, -1);
    const shared = above.findIndex((name, i) => name !== suites[i]);
    above.forEach((name, i) => {
      if (shared >= 0 && i >= shared) lines.push(`${'  '.repeat(i + 1)}${name}`);
    });
    suites = above;
    const slow = ms >= SHOWN_SECONDS * 1_000 ? ` (${Math.round(ms / 1_000)} s)` : '';
    lines.push(`${'  '.repeat(above.length + 1)}${MARK[outcome]} ${title}${slow}`);
  }
  return `${lines.join('\n')}\n`;
}

/** All failures with their place, their error and the command that repeats them. */
export function renderFailures(results: readonly TestResult[], problems: readonly Problem[]): string {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const texts = [
    ...problems.map(({ what, text, again }) => `${what}\n${indented(text.trim())}\n   again: ${again}`),
    ...failed.map(
      ({ file, titles, line, text }) =>
        `${titles.join(' › ')}\n   ` +
        `${file}${line === undefined ? '' : `:${line}`}\n${indented(text ?? '')}\n   again: ` +
        `${rerunCommand(file, titles)}`,
    ),
  ];
  if (texts.length === 0) return '';
  return `\n── failures\n${texts.map((text, i) => `\n${i + 1}) ${text}\n`).join('')}`;
}

/** The command that runs a test again. A hook has no title of its own, so its whole suite runs. */
export function rerunCommand(file: string, titles: readonly string[]): string {
  const words = /^"(before|after) (all|each)" hook/.test(titles.at(-1) ?? '') ? titles.slice(0, -1) : titles;
  const quoted = words.join(' ').replaceAll("'", `'\\''`);
  return `npm run test:file -- ${file}${quoted === '' ? '' : ` -f '${quoted}'`}`;
}

/** The titles of the skipped tests, so that a reader can see which tests the last line counts as skipped. */
export function renderSkipped(results: readonly TestResult[]): string {
  const skipped = results.filter(({ outcome }) => outcome === 'skipped');
  if (skipped.length === 0) return '';
  return `\n── skipped\n${skipped.map(({ file, titles }) => `- ${file}: ${titles.join(' › ')}\n`).join('')}`;
}

/** The last line of a run. A problem outside of a test counts as a failure. */
export function renderCounts(results: readonly TestResult[], problems: readonly Problem[]): string {
  const count = (outcome: TestResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  const failed = count('failed') + problems.length;
  return `${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`;
}

/** Formats seconds for people: "48 s", "7 min 12 s". */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const indented = (text: string) => text.replace(/^/gm, '   ');
