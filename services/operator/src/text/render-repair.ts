import { describeVersion } from '@vitrine/listing-events';
import type { Repair } from '../repair/repair-events.ts';
import { printable } from './plain-text.ts';

/** Describes what a repair would publish. Pure. */
export function previewText(
  { id, kind, previous, epoch, fields, dates, events }: Repair,
  topic: string,
): string {
  const content =
    kind === 'removed' ? 'a removal' : `a snapshot with ${fields} fields and ${dates} calendar dates`;
  const number = events.length === 1 ? '1 event' : `${events.length} events`;
  return printable(
    `Listing ${id} has version ${describeVersion(previous)}. The repair publishes ${content} with version 1 of ` +
      `epoch ${epoch}: ${number} to ${topic}.`,
  );
}

/** Formats the result of a repair, with what its source must do now. Pure. */
export function renderRepair({ id, epoch }: Repair, published: boolean): string {
  if (!published) return 'Nothing was published';
  return printable(
    `Published. From now on, the source of listing ${id} must send \`version_epoch\` ${epoch}, or every event of ` +
      `the source is ignored for good. \`explain\` shows when the projector has applied the repair`,
  );
}
