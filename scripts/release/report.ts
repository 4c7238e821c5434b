import type { CheckResult } from './check-result.ts';

/** A check with its result. */
export interface CheckedItem extends CheckResult {
  name: string;
  repair: string;
}

/** Options that change what a release may lack. */
export interface Allowances {
  /** Accepts that the registry cannot audit. */
  noAudit: boolean;
}

/** Name of the check that `--allow-no-audit` concerns. */
export const AUDIT = 'audit';

const WORDS = {
  ok: 'ok',
  failed: 'FAILED',
  impossible: 'skipped (not possible here)',
  'left out': 'skipped',
};

const accepted = ({ name, status }: CheckedItem, { noAudit }: Allowances): boolean =>
  status === 'ok' || (name === AUDIT && status === 'impossible' && noAudit);

/** Whether nothing prevents the release. Pure. */
export const mayRelease = (items: readonly CheckedItem[], allowances: Allowances): boolean =>
  items.every((item) => accepted(item, allowances));

/** The line of a check, followed by its problems and their repair. Pure. */
export function checkLines(item: CheckedItem): string[] {
  const { name, status, details, repair } = item;
  const line = `${WORDS[status]}: ${name}`;
  if (status === 'ok') return [`${line} (${details.join('; ')})`];
  return [line, ...details.map((detail) => `  ${detail}`), `  To repair: ${repair}`];
}

/** The last line of the report. Pure. */
export function verdictLine(version: string, items: readonly CheckedItem[], allowances: Allowances): string {
  const names = (wanted: (item: CheckedItem) => boolean) =>
    items
      .filter(wanted)
      .map(({ name }) => name)
      .join(', ');
  const failed = names(({ status }) => status === 'failed');
  const skipped = names(({ status }) => status === 'impossible' || status === 'left out');
  if (failed)
    return `Version ${version} cannot be released. Failed: ${failed}.${skipped && ` Skipped: ${skipped}.`}`;
  if (!mayRelease(items, allowances))
    return `Version ${version} is not checked completely. Skipped: ${skipped}.`;
  return skipped
    ? `Version ${version} can be released, but these checks were not possible here: ${skipped}.`
    : `Version ${version} can be released: every check passed.`;
}
