import { describeVersion } from '@vitrine/listing-events';
import type { DeadLetterGroup, DeadLetterList } from '../dead-letters/dead-letter-collector.ts';
import type { DismissResult } from '../dead-letters/dismiss-dead-letters.ts';
import type { RetryResult } from '../dead-letters/retry-dead-letters.ts';
import type { Content, ShownDeadLetter } from '../dead-letters/show-dead-letter.ts';
import type { DeadLetterSummary, Standing } from '../dead-letters/stored-dead-letter.ts';
import { counted, plainTable, printable, shortened, size } from './plain-text.ts';

/** Column widths that, together with the borders, fit into a line. */
const COLUMNS = [12, 22, 16, 17, 35, 11];
const CAUSE_COLUMNS = [12, 11, 24, 23, 21, 22];
const KEY_LENGTH = 24;
const LONGEST_DETAIL = 160;
const MAX_LISTED = 20;

/** Formats dead letters as a table of at most 120 columns. Pure. */
export function deadLetterTable(deadLetters: readonly DeadLetterSummary[]): string {
  const rows = deadLetters.map(({ ref, time, key, reason, detail, bytes, ...standing }) => [
    ref,
    time.replace(/\.\d+Z$/, 'Z'),
    key === null ? '(none)' : shortened(key, KEY_LENGTH),
    reason,
    [shortened(detail, LONGEST_DETAIL), ...standingText(standing)].join('; '),
    size(bytes),
  ]);
  // Only columns that can have long content wrap.
  return plainTable(['letter', 'time', 'key', 'reason', 'detail', 'size'], rows, {
    right: ['size'],
    widths: COLUMNS,
  });
}

/** What an operator or a later event has done about a dead letter. */
function standingText({ retried, dismissed, corrected, retryOf }: Standing): string[] {
  return [
    ...(retried ? ['sent again'] : []),
    ...(dismissed ? [`dismissed: ${printable(shortened(dismissed.reason, LONGEST_DETAIL))}`] : []),
    ...(corrected === undefined ? [] : [`corrected by version ${describeVersion(corrected)}`]),
    ...(retryOf === undefined ? [] : [`refused again after the retry of ${retryOf}`]),
  ];
}

/** Formats causes as a table of at most 120 columns. Pure. */
const causeTable = (causes: readonly DeadLetterGroup[]): string =>
  plainTable(
    ['cause', 'count', 'reason', 'path', 'source', 'newest'],
    causes.map(({ id, count, reason, path, source = '', newest }) => [
      id,
      count.toLocaleString('en'),
      reason,
      path,
      source,
      newest.replace(/\.\d+Z$/, 'Z'),
    ]),
    { right: ['count'], widths: CAUSE_COLUMNS },
  );

/** Formats a list for people. Pure. */
export function renderDeadLetters(list: DeadLetterList): string {
  const { total, retried, dismissed, corrected, byReason, causes, newest } = list;
  const counts = Object.entries(byReason).sort(([, a], [, b]) => b - a);
  const head =
    total === 0
      ? 'No dead letters'
      : `${counted(total, 'dead letter|dead letters')}: ` +
        `${counts.map(([reason, n]) => `${n.toLocaleString('en')} ${printable(reason)}`).join(', ')}`;
  const settled = (
    [
      [retried, 'sent again'],
      [dismissed, 'dismissed'],
      [corrected, 'corrected by a later version'],
    ] as const
  ).filter(([n]) => n > 0);
  const lines = [[head, ...settled.map(([n, what]) => `${n.toLocaleString('en')} ${what}`)].join('; ')];
  if (causes.length > 0) lines.push(causeTable(causes.slice(0, MAX_LISTED)));
  if (newest.length > 0) lines.push(deadLetterTable(newest));
  if (newest.length < total)
    lines.push(
      `The newest ${newest.length} are shown. Use --limit to show more, and --cause, --reason or --key to filter.`,
    );
  return lines.join('\n');
}

/** Formats one dead letter as human-readable text. Pure. */
export function renderDeadLetter(deadLetter: ShownDeadLetter): string {
  const { ref, key, reason, detail, time, origin, headers, value, valueBytes, json, retryable } = deadLetter;
  const standing = standingText(deadLetter);
  const sent =
    standing.length > 0
      ? standing.join('; ')
      : retryable
        ? `run dead-letters retry ${ref} to send it again`
        : 'it holds no record, so it cannot be sent again';
  const lines = [
    `Dead letter ${ref} of ${time}: ${sent}`,
    `reason  ${printable(reason)}: ${printable(detail)}`,
    `record  ${printable(origin.topic)}, partition ${origin.partition}, offset ${printable(origin.offset)}`,
    `key     ${key === null ? '(none)' : printable(key)}`,
    ...Object.entries(headers).flatMap(([name, header]) =>
      [header].flat().map((one) => `header  ${printable(name)}: ${one === null ? '(null)' : text(one)}`),
    ),
    `value   ${value === null ? '(null)' : `${size(valueBytes)}${'base64' in value ? NOT_UTF8 : ''}`}`,
  ];
  if (json !== undefined) lines.push(...JSON.stringify(json, null, 2).split('\n').map(printable));
  else if (value !== null)
    lines.push(...('text' in value ? value.text.split('\n').map(printable) : [value.base64]));
  return lines.join('\n');
}

const NOT_UTF8 = ', shown in base64 because it is not UTF-8';

const text = (content: Content): string =>
  'text' in content ? printable(content.text) : `base64:${content.base64}`;

/** Formats the result of a retry for people. Pure. */
export function renderRetry({
  dryRun,
  sent,
  alreadyRetried,
  dismissed,
  corrected,
  stillRefused,
  stillRefusedTotal,
  notRetryable,
  notRetryableTotal,
}: RetryResult): string {
  const sentAgain = dryRun ? 'would be sent again (dry run, nothing was sent)' : 'sent again';
  const lines = [`${sent.toLocaleString('en')} ${sentAgain}`];
  if (alreadyRetried > 0) lines.push(`${alreadyRetried.toLocaleString('en')} had been sent before`);
  if (dismissed > 0)
    lines.push(`${counted(dismissed, 'is dismissed and was|are dismissed and were')} left out`);
  if (corrected > 0)
    lines.push(`${counted(corrected, 'was|were')} corrected by a later version and left out`);
  const listed = (total: number, what: string, deadLetters: readonly DeadLetterSummary[]) => {
    if (total === 0) return;
    lines.push(`${total.toLocaleString('en')} ${what}`, deadLetterTable(deadLetters.slice(0, MAX_LISTED)));
    if (total > MAX_LISTED) lines.push(`  and ${(total - MAX_LISTED).toLocaleString('en')} more`);
  };
  listed(stillRefusedTotal, 'still refused by this code:', stillRefused);
  listed(
    notRetryableTotal,
    'cannot be sent again (an unreadable batch or the state of a listing):',
    notRetryable,
  );
  return lines.join('\n');
}

/** Formats the result of a dismissal for people. Pure. */
export function renderDismissal(result: DismissResult): string {
  const { dryRun, dismissed, alreadyDismissed, alreadyRetried, alreadyCorrected } = result;
  const before = (
    [
      [alreadyDismissed, 'had been|had been', 'dismissed before'],
      [alreadyRetried, 'had been|had been', 'sent again'],
      [alreadyCorrected, 'is|are', 'corrected by a later version'],
    ] as const
  ).filter(([n]) => n > 0);
  return [
    `${dismissed.toLocaleString('en')} ${dryRun ? 'would be dismissed (dry run, nothing was written)' : 'dismissed'}`,
    ...before.map(([n, verb, what]) => `${counted(n, verb)} ${what}`),
  ].join('\n');
}
