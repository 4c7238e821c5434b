import { describeVersion } from '@vitrine/listing-events';
import {
  type ExplainedChange,
  type ExplainedGeneration,
  type ExplainedState,
  type Explanation,
  remedy,
  whyHidden,
} from '../explain/explanation.ts';
import { LINE_WIDTH, plainTable, printable, shortened } from './plain-text.ts';
import { deadLetterTable } from './render-dead-letters.ts';

const INDENT = '  ';
const VALUE_WIDTH = LINE_WIDTH - 40;

/**
 * Formats the explanation as human-readable text: the answer, then each generation, then the dead letters.
 * Pure.
 */
export function renderExplanation({ summary, found, generations, deadLetters }: Explanation): string {
  const parts = [printable(summary)];
  if (found) parts.push(...generations.map(renderGeneration));
  const { total, retried, newest } = deadLetters;
  if (total > 0) {
    const shown = newest.length < total ? `; the table lists the newest ${newest.length}` : '';
    parts.push(
      [`Dead letters: ${total}, of which ${retried} were sent again${shown}`, deadLetterTable(newest)].join(
        '\n',
      ),
    );
  }
  return parts.join('\n\n');
}

function renderGeneration(generation: ExplainedGeneration): string {
  const { number, role, trouble, state, item, hidden, failure, agrees, position, change } = generation;
  const lines: string[] = [];
  if (trouble) lines.push(`this generation could not be read: ${printable(trouble)}`);
  else if (!state && !item) lines.push('this generation has no data for the listing');
  if (state) lines.push(...renderState(state));
  if (failure !== undefined) lines.push(printable(failure));
  if (hidden) lines.push(`the rules hide the listing: ${whyHidden(hidden, state)}`);
  if (item) {
    lines.push(
      `item: revision ${item.revision}, published ${item.publishedAt}, ${item.calendarDates} dates in its ` +
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
    `calendar: ${kept} dates kept, ${visible} visible, ${open} open from ${today} on`,
    ...(rows.length > 0
      ? plainTable(['field', 'version', 'value'], rows, { right: ['version'] }).split('\n')
      : ['no field is set']),
  ];
}
