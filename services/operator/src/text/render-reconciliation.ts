import type { ReportedDifference } from '../reconcile/check-candidates.ts';
import type { CorrectionCounts } from '../reconcile/corrections/corrections.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import type { LastReconciliation } from '../reconcile/recorded-rows.ts';
import { counted, printable, shortened } from './plain-text.ts';

const VALUE_CHARACTERS = 60;
const count = (number: number) => number.toLocaleString('en');

/** Formats the result of `reconcile` for people. Pure. */
export function renderReconciliation({ counts, examples, corrections, publication }: Reconciled): string {
  const { missing, extra, different, changed } = counts;
  const lines = [countsText(counts, '')];
  if (changed > 0)
    lines.push(
      `${counted(changed, 'more listing differs|more listings differ')}, but received an event after the dump began. ` +
        'An event that waits in the topic also counts.',
    );
  if (missing + extra + different === 0) return [...lines, 'The feed equals the source.'].join('\n');
  for (const [kind, some = []] of Object.entries(Object.groupBy(examples, ({ kind }) => kind))) {
    lines.push(`${kind}:`, ...some.map((example) => `  ${exampleText(example)}`));
    if (some.length < counts[kind as keyof typeof counts]) lines.push('  …');
  }
  if (publication) {
    const { published, skipped } = publication;
    lines.push(
      `Published ${counted(published, 'correction|corrections')}. ` +
        (skipped > 0 ? `${counted(skipped, 'listing has|listings have')} changed meanwhile. ` : '') +
        'Run reconcile again with a new dump',
    );
  } else if (corrections && corrections.removals + corrections.snapshots === 0)
    lines.push('No event can correct these differences');
  else if (corrections)
    lines.push(
      `Corrections: ${countedCorrections(corrections)}. Run reconcile again after they are published`,
    );
  else lines.push('To correct the feed, find the cause, and run reconcile with --emit FILE or --publish');
  return lines.join('\n');
}

type Counts = Pick<LastReconciliation, 'source' | 'equal' | 'missing' | 'extra' | 'different'>;

const countsText = ({ source, equal, missing, extra, different }: Counts, origin: string): string =>
  `${counted(source, 'source line|source lines')}${origin}: ${count(equal)} equal, ${count(missing)} missing, ` +
  `${count(different)} different. ${counted(extra, 'item of the feed is|items of the feed are')} extra.`;

/** The numbers of removals and snapshots in words. Pure. */
export const countedCorrections = ({
  removals,
  snapshots,
}: Pick<CorrectionCounts, 'removals' | 'snapshots'>): string =>
  `${counted(removals, 'removal|removals')} and ${counted(snapshots, 'snapshot|snapshots')}`;

/** Formats the last comparison for people. Pure. */
export function renderLastReconciliation({ at, as_of, rows, ...counts }: LastReconciliation): string {
  const { missing, extra, different, correctable = 0, refusal } = counts;
  const lines = [
    `${at}: ${countsText(counts, ` of ${as_of}`)}`,
    ...(rows ?? []).map((row) => `${row.kind}  ${exampleText(row)}`),
  ];
  if (rows && rows.length < missing + extra + different) lines.push('…');
  if (correctable > 0)
    lines.push(`reconciliation --corrections prints the events that correct ${count(correctable)} of these`);
  if (refusal !== undefined) lines.push(`No corrections are kept, because ${refusal}`);
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
      `${counted(listings, 'listing was|listings were')} not corrected, because ${IMPOSSIBLE[why as keyof typeof IMPOSSIBLE]}, ` +
      `for example ${printable(example)}`,
  );
