import { describeVersion } from '@vitrine/listing-events';
import type { Repair } from '../repair/repair-events.ts';
import { counted, LINE_WIDTH, printable, shortened } from './plain-text.ts';

/** Describes what a repair would publish. Pure. */
export function previewText(
  { id, kind, previous, epoch, fields, dates, events }: Repair,
  topic: string,
): string {
  const content =
    kind === 'removed'
      ? 'a removal'
      : `a snapshot with ${counted(fields, 'field|fields')} and ${counted(dates, 'calendar date|calendar dates')}`;
  const sentence = printable(
    `Listing ${id} has version ${describeVersion(previous)}. The repair publishes ${content} with version 1 of ` +
      `epoch ${epoch}: ${counted(events.length, 'event|events')} to ${topic}.`,
  );
  return [sentence, ...contentOf(events).map((line) => shortened(`  ${printable(line)}`, LINE_WIDTH))].join(
    '\n',
  );
}

/** One line for each field that a snapshot contains. Its calendar can have thousands of dates. */
function contentOf([first = '{}']: readonly string[]): string[] {
  const { data } = JSON.parse(first) as { data?: { listing?: Record<string, unknown> } };
  const { availability: _, ...fields } = data?.listing ?? {};
  return Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

/** Formats the result of a repair, with what its source must do now. Pure. */
export function renderRepair({ id, epoch }: Repair, published: boolean): string {
  if (!published) return 'Nothing was published';
  return printable(
    `Published. From now on, the source of listing ${id} must send \`version_epoch\` ${epoch}, or every event of ` +
      `the source is ignored for good. \`explain\` shows when the projector has applied the repair`,
  );
}
