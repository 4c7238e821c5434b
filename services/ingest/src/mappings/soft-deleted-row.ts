import {
  composeEvent,
  dataOf,
  decodeRecord,
  type FieldChanges,
  type ListingEvent,
} from '@vitrine/listing-events';
import { type Row, UnavailableColumn } from './column-values.ts';
import { type Column, fieldsOf, type ListingColumns } from './listing-columns.ts';

/** The fields that a listing needs to be in the feed (docs/reference/rules.md#completeness). */
const REQUIRED = ['price', 'location', 'url', 'title'] as const;

/**
 * The fields of a soft-deleted row. One cleared field hides the listing. The other fields have the row's
 * values, because PostgreSQL does not log long values again when the listing returns. A value that no event
 * can contain is left out, because the listing must leave the feed in any case.
 * @throws Error if PostgreSQL did not log a value of a new row
 */
export function fieldsOfDeleted(columns: ListingColumns, row: Row, id: string, isNew: boolean): FieldChanges {
  const fields: FieldChanges = {};
  for (const [name, column] of Object.entries(columns))
    try {
      const field = fieldsOf({ [name]: column }, row, isNew);
      if (isValid(id, field)) Object.assign(fields, field);
    } catch (error) {
      if ((error as Error).cause instanceof UnavailableColumn) throw error;
    }
  const hides = hidden(columns, fields);
  const all = { ...fields, ...hides };
  // Together, the values may exceed the size of an event.
  return isValid(id, all) ? all : hides;
}

function isValid(id: string, fields: FieldChanges): boolean {
  const event: ListingEvent = { kind: 'changed', id, version: 1, fields };
  const { kind: type, version } = event;
  const time = new Date(0).toISOString();
  const composed = composeEvent({ id, source: id, type, listingId: id, time, version, data: dataOf(event) });
  return (
    decodeRecord({ key: Buffer.from(id), value: Buffer.from(JSON.stringify(composed)) }).outcome === 'event'
  );
}

/** Whether all values come directly from named columns. A function may read a large value. */
const isNamed = (column: Column | Record<string, Column>): boolean =>
  typeof column === 'object' ? Object.values(column).every(isNamed) : typeof column === 'string';

/**
 * Clears one field that a listing needs to be in the feed. This hides the listing. The first named column
 * whose value is known takes precedence, because PostgreSQL logs its value again when the listing returns.
 * @param read the fields whose values the record contains
 */
function hidden(columns: ListingColumns, read: FieldChanges): FieldChanges {
  const mapped = REQUIRED.filter((field) => columns[field] !== undefined);
  const known = mapped.filter((field) => field in read);
  const name = known.find((field) => isNamed(columns[field] ?? '')) ?? known[0] ?? mapped[0];
  return name === undefined ? {} : { [name]: null };
}
