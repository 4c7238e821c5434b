import type { ReportedDifference } from '../reconcile/check-candidates.ts';
import type { CorrectionCounts } from '../reconcile/corrections/corrections.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import type { LastReconciliation } from '../reconcile/recorded-rows.ts';
import { printable, shortened } from './plain-text.ts';

const VALUE_CHARACTERS = 60;
const count = (number: number) => number.toLocaleString('en');

/** Formats the result of `reconcile` for people. Pure. */
export function renderReconciliation({ counts, examples, corrections, publication }: Reconciled): string {
  const { source, equal, missing, extra, different, changed } = counts;
  const lines = [
    `${count(source)} source lines: ${count(equal)} equal, ${count(missing)} missing, ` +
      `${count(different)} different. ${count(extra)} items of the feed are extra.`,
  ];
  if (changed > 0)
    lines.push(`${count(changed)} more listings differ, but received an event after the dump began.`);
  if (missing + extra + different === 0) return [...lines, 'The feed equals the source.'].join('\n');
  for (const [kind, some = []] of Object.entries(Object.groupBy(examples, ({ kind }) => kind))) {
    lines.push(`${kind}:`, ...some.map((example) => `  ${exampleText(example)}`));
    if (some.length < counts[kind as keyof typeof counts]) lines.push('  …');
  }
  if (publication) {
    const { published, skipped } = publication;
    lines.push(
      `Published ${count(published)} ${published === 1 ? 'correction' : 'corrections'}. ` +
        (skipped > 0
          ? `${count(skipped)} ${skipped === 1 ? 'listing has' : 'listings have'} changed meanwhile. `
          : '') +
        'Run reconcile again with a new dump',
    );
  } else if (corrections && corrections.removals + corrections.snapshots === 0)
    lines.push('No event can correct these differences');
  else if (corrections)
    lines.push(
      `Corrections: ${count(corrections.removals)} removals and ${count(corrections.snapshots)} snapshots. ` +
        'Run reconcile again after they are published',
    );
  else lines.push('To correct the feed, find the cause, and run reconcile with --emit FILE or --publish');
  return lines.join('\n');
}

/** Formats the last comparison for people. Pure. */
export function renderLastReconciliation({ at, as_of, rows, ...counts }: LastReconciliation): string {
  const { source, equal, missing, extra, different, correctable = 0 } = counts;
  const lines = [
    `${at}: ${count(source)} source lines of ${as_of}: ${count(equal)} equal, ${count(missing)} missing, ` +
      `${count(different)} different. ${count(extra)} items of the feed are extra.`,
    ...(rows ?? []).map((row) => `${row.kind}  ${exampleText(row)}`),
  ];
  if (rows && rows.length < missing + extra + different) lines.push('…');
  if (correctable > 0)
    lines.push(`reconciliation --corrections prints the events that correct ${count(correctable)} of these`);
  return lines.join('\n');
}

function exampleText(difference: ReportedDifference): string {
  const id = printable(difference.id);
  switch (difference.kind) {
    case 'missing':
      return `${id}: ${difference.why}`;
    case 'extra':
      return id;
    case 'different': {
      const text = (value: unknown) => shortened(printable(JSON.stringify(value)), VALUE_CHARACTERS);
      const members = Object.entries(difference.members).map(
        ([name, { source, feed }]) => `${name} is ${text(source)} in the source, ${text(feed)} in the feed`,
      );
      return `${id}: ${members.join('; ')}`;
    }
  }
}

const IMPOSSIBLE = {
  'incomplete-line': 'their lines do not name the whole listing',
  refused: 'the projector would refuse the event',
  'no-version': 'no version is higher than theirs',
  'only-version': 'only their versions differ, and those of the feed are higher',
} as const;

/** One line for each reason why differences cannot be corrected. Pure. */
export const impossibleText = (corrections: CorrectionCounts | undefined): string[] =>
  Object.entries(corrections?.impossible ?? {}).map(
    ([why, { count: listings, example }]) =>
      `${count(listings)} listings were not corrected, because ${IMPOSSIBLE[why as keyof typeof IMPOSSIBLE]}, ` +
      `for example ${printable(example)}`,
  );
