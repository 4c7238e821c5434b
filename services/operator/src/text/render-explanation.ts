import { describeVersion } from '@vitrine/listing-events';
import type {
  ExplainedChange,
  ExplainedGeneration,
  ExplainedState,
  Explanation,
  HistoryRecord,
  ListingHistory,
} from '../explain/explanation.ts';
import { remedy, whyIgnored, whyOf } from '../explain/explanation-text.ts';
import { counted, LINE_WIDTH, plainTable, printable, shortened } from './plain-text.ts';
import { deadLetterTable } from './render-dead-letters.ts';

const INDENT = '  ';
const VALUE_WIDTH = LINE_WIDTH - 40;
/** Column widths that, together with the borders, fit into a line. */
const HISTORY_COLUMNS = [12, 22, 22, 17, 21, 19];

/**
 * Formats the explanation as human-readable text: the answer, then each generation, then the dead letters
 * and the history. Pure.
 */
export function renderExplanation({
  summary,
  found,
  generations,
  deadLetters,
  history,
}: Explanation): string {
  const parts = [printable(summary)];
  if (found) parts.push(...generations.map(renderGeneration));
  const { total, retried, dismissed, corrected, newest } = deadLetters;
  if (total > 0) {
    const shown = newest.length < total ? `; the table lists the newest ${newest.length}` : '';
    parts.push(
      [
        `Dead letters: ${total}, of which ${counted(retried, 'was|were')} sent again, ${dismissed} dismissed and ${corrected} ` +
          `corrected${shown}`,
        deadLetterTable(newest),
      ].join('\n'),
    );
  }
  if (history) parts.push(renderHistory(history));
  return parts.join('\n\n');
}

function renderHistory({ total, newest }: ListingHistory): string {
  if (total === 0) return 'History: the events topic holds no record of the listing';
  const shown = newest.length < total ? `; the table lists the newest ${newest.length}` : '';
  const rows = newest.map((record) => [
    `${record.partition}:${record.offset}`,
    record.time?.replace(/\.\d+Z$/, 'Z') ?? '–',
    record.source === undefined ? record.kind : `${record.kind}, ${record.source}`,
    record.version === undefined ? '–' : describeVersion(record.version),
    contentOf(record) || '–',
    record.inEffect === undefined ? '–' : record.inEffect.join(', ') || 'nothing',
  ]);
  const head = ['record', 'time of the event', 'kind, source', 'version', 'content', 'in effect now'];
  return [
    `History: ${counted(total, 'record|records')} in the events topic${shown}`,
    plainTable(head, rows, { widths: HISTORY_COLUMNS }),
  ].join('\n');
}

function contentOf({ reason, fields, dates, kind }: HistoryRecord): string {
  if (reason !== undefined) return reason;
  const parts = [
    ...(kind === 'snapshot' ? ['all fields'] : (fields ?? [])),
    ...(dates === undefined ? [] : [counted(dates, 'date|dates')]),
  ];
  return shortened(parts.join(', '), VALUE_WIDTH);
}

function renderGeneration(generation: ExplainedGeneration): string {
  const { number, role, trouble, state, item, hidden, failure, agrees, position, change } = generation;
  const { dropped = [], ignored = [] } = generation;
  const lines: string[] = [];
  if (trouble) lines.push(`this generation could not be read: ${printable(trouble)}`);
  else if (!state && !item) lines.push('this generation has no data for the listing');
  if (state) lines.push(...renderState(state));
  if (failure !== undefined) lines.push(printable(failure));
  if (hidden) lines.push(printable(`the rules hide the listing: ${whyOf(generation)}`));
  lines.push(...dropped.map(({ member, detail }) => printable(`the rules left out ${member}: ${detail}`)));
  lines.push(
    ...ignored.map(({ source, time, ...one }) =>
      printable(
        `ignored event of source ${source}: ${whyIgnored({ ...one, source, time: Date.parse(time) })}`,
      ),
    ),
  );
  if (item) {
    lines.push(
      `item: revision ${item.revision}, published ${item.publishedAt}, ${counted(item.calendarDates, 'date|dates')} in its ` +
        'calendar',
    );
    if (position)
      lines.push(`position ${position.at.toLocaleString('en')} of ${position.of.toLocaleString('en')}`);
    lines.push(
      ...JSON.stringify(item.feedItem, null, 2)
        .split('\n')
        .map((line) => `${INDENT}${shortened(printable(line), LINE_WIDTH - 4)}`),
    );
  } else if (state && !hidden && failure === undefined)
    lines.push('the state is complete, but the index has no item for the listing');
  if (change) lines.push(renderChange(change));
  if (agrees === false)
    lines.push(`the item differs from the item that this code derives from the state. ${remedy(generation)}`);
  return [`Generation ${number} (${role})`, ...lines.map((line) => `${INDENT}${line}`)].join('\n');
}

const renderChange = ({ state, at, sequence, changeNumber }: ExplainedChange): string =>
  `change: ${state} at ${at}, ${
    changeNumber === undefined
      ? `sequence number ${sequence} (this generation was never live)`
      : `change number ${changeNumber}`
  }`;

function renderState({ revision, firstSeen, removed, replaced, fields, calendar }: ExplainedState): string[] {
  const { kept, visible, open, today } = calendar;
  const marks = [
    removed !== 0 ? `removed at version ${describeVersion(removed)}` : 'never removed',
    ...(replaced !== 0 ? [`calendar replaced at version ${describeVersion(replaced)}`] : []),
  ];
  const rows = Object.entries(fields).map(([name, { version, value }]) => [
    name,
    describeVersion(version),
    value === null ? '(cleared)' : shortened(printable(JSON.stringify(value)), VALUE_WIDTH),
  ]);
  return [
    `state: revision ${revision}, first seen ${firstSeen ?? 'unknown'}, ${marks.join(', ')}`,
    `calendar: ${counted(kept, 'date|dates')} kept, ${visible} visible, ${open} open from ${today} on`,
    ...(rows.length > 0
      ? plainTable(['field', 'version', 'value'], rows, { right: ['version'] }).split('\n')
      : ['no field is set']),
  ];
}
