import { type CalendarDate, type ListingEvent, type Version, versionOf } from '@vitrine/listing-events';
import { defineMapping, type Mapping, type MappingRecord } from '../mapping.ts';
import { booleanIn, dateIn, numberIn, type Row, readableRow, textIn } from './column-values.ts';
import { type Column, cleared, columnOf, fieldsOf, type ListingColumns } from './listing-columns.ts';
import { fieldsOfDeleted } from './soft-deleted-row.ts';

export type { Row } from './column-values.ts';
export type { Column, ListingColumns } from './listing-columns.ts';

/** The table with one row for each listing. */
export interface ListingTable {
  topic: string;
  id: Column;
  fields: ListingColumns;
  /**
   * A listing whose row has a time or true in this column is hidden. The listing keeps its content until it
   * returns to the feed.
   */
  deletedAt?: Column;
  /**
   * Whether a deleted row clears the mapped fields instead of removing the listing. The calendar then stays
   * for a row that is later inserted with the same id, for example in a partitioned table
   * (docs/start/ingest.md#debeziums-rows).
   */
  keepsCalendar?: boolean;
}

/** A table with one row for each listing and date. */
export interface CalendarTable {
  topic: string;
  listingId: Column;
  date: Column;
  available: Column;
  price?: Column;
}

export interface DebeziumRows {
  /** How the connector writes its records. `confluent` needs `SCHEMA_REGISTRY_URL`. */
  format?: 'debezium' | 'confluent';
  listings: ListingTable;
  calendar?: CalendarTable;
  /**
   * Raise the epoch if the LSN falls, or after the loss of a replication slot
   * (docs/start/ingest.md#versions).
   */
  versionEpoch?: number;
}

/** The part of Debezium's envelope that this mapping reads. */
export interface DebeziumChange {
  before?: Row | null;
  after?: Row | null;
  source?: { lsn?: number | string | bigint | null; ts_ms?: number | bigint | null };
  op?: string;
}

/** A row before and after a change. */
interface Change {
  head: { version: Version; time?: number };
  /**
   * Whether no earlier record contains the row. PostgreSQL's log contains a row with a changed primary key as
   * a new row.
   */
  isNew: boolean;
  before?: Row;
  after?: Row;
}

/** The operations for an inserted row, an updated row, and a row that a snapshot has read. */
const WRITES = new Set(['c', 'u', 'r']);
const SNAPSHOT = 'r';
/** A change to a row and its commit take more than 64 bytes of PostgreSQL's log. */
const SNAPSHOT_DIVISOR = 64;

/**
 * Maps the row changes of Debezium's PostgreSQL connector, table by table. The version of an event is the LSN
 * of its change, so the events from all tables share one number space and join in any order
 * (docs/decisions/0111).
 */
export function debeziumRows(tables: DebeziumRows): Mapping<DebeziumChange, Row | string> {
  const { format = 'debezium', listings, calendar, versionEpoch = 0 } = tables;
  return defineMapping<DebeziumChange, Row | string>({
    topics: [listings.topic, ...(calendar ? [calendar.topic] : [])],
    format,
    map(record) {
      const change = changeOf(record, versionEpoch);
      if (!change) return [];
      return calendar && record.topic === calendar.topic
        ? calendarEvents(calendar, change)
        : listingEvents(listings, change);
    },
  });
}

/** Reads the change of a row. @returns undefined if the record changes no row @throws Error */
function changeOf(
  { key, value }: MappingRecord<DebeziumChange, Row | string>,
  epoch: number,
): Change | undefined {
  // Debezium adds a tombstone after each deletion, for compaction. The deletion has already been mapped.
  if (value === null) return undefined;
  const { op, before, after, source } = value;
  // The record is a message from pg_logical_emit_message.
  if (op === 'm') return undefined;
  if (op === 't')
    throw new Error(
      'the table was truncated, and the record names no rows. Run reconcile to remove the listings of the table',
    );
  const isWrite = WRITES.has(op ?? '');
  if (!isWrite && op !== 'd')
    throw new Error(
      `the value has the op ${JSON.stringify(op)} instead of c, u, d or r. Remove transforms such as ` +
        'ExtractNewRecordState from the connector',
    );
  if (isWrite && !after) throw new Error('the record has no row after the change');
  const keyColumns = typeof key === 'object' ? key : {};
  const time = Number(source?.ts_ms ?? Number.NaN);
  return {
    head: {
      version: versionOf(epoch, versionNumber(op, source?.lsn)),
      ...(Number.isFinite(time) && { time }),
    },
    isNew: op !== 'u',
    // With the default replica identity, a deletion has only the columns of the primary key.
    ...(before || !isWrite ? { before: readableRow({ ...keyColumns, ...before }) } : {}),
    ...(isWrite && after ? { after: readableRow(after) } : {}),
  };
}

/**
 * A transaction that is open during a snapshot writes its changes with LSNs below the snapshot's LSN, and the
 * snapshot does not see them. With 1/64 of its LSN as the version, a row from a snapshot loses to every
 * streamed change from that time, and two snapshots keep their order. Source: docs/decisions/0111.
 * @throws Error
 */
function versionNumber(op: string | undefined, lsn: unknown): number {
  const number = typeof lsn !== 'object' && /^\d+$/.test(String(lsn)) ? Number(lsn) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`source.lsn is ${JSON.stringify(String(lsn))} instead of an integer from 1 to 2^53-1`);
  return op === SNAPSHOT ? Math.max(1, Math.floor(number / SNAPSHOT_DIVISOR)) : number;
}

function listingEvents(
  { id, fields, deletedAt, keepsCalendar }: ListingTable,
  { head, isNew, before, after }: Change,
): ListingEvent[] {
  const gone = (id: string): ListingEvent =>
    keepsCalendar
      ? { ...head, kind: 'changed', id, fields: cleared(fields) }
      : { ...head, kind: 'removed', id };
  const was = before && idOf(before, id, after !== undefined);
  if (!after) return [gone(was as string)];
  const is = idOf(after, id) as string;
  const isMoved = was !== undefined && was !== is;
  const isDeleted = deletedAt !== undefined && (columnOf(after, deletedAt) || null) !== null;
  const changes = isDeleted ? fieldsOfDeleted(fields, after, is, isNew) : fieldsOf(fields, after, isNew);
  return [
    ...(isMoved ? [gone(was)] : []),
    ...(Object.keys(changes).length > 0
      ? [{ ...head, kind: 'changed' as const, id: is, fields: changes }]
      : []),
  ];
}

function calendarEvents(table: CalendarTable, { head, before, after }: Change): ListingEvent[] {
  const day = (row: Row, date: Omit<CalendarDate, 'date'>) => ({
    ...head,
    kind: 'availability_changed' as const,
    id: idOf(row, table.listingId) as string,
    mode: 'merge' as const,
    dates: [{ date: dateIn(columnOf(row, table.date)), ...date }],
  });
  const is =
    after &&
    day(after, {
      available: booleanIn(columnOf(after, table.available)),
      ...(table.price !== undefined && { price: numberIn(columnOf(after, table.price)) }),
    });
  // The row before an update has these columns only with REPLICA IDENTITY FULL.
  const isKnown =
    before && (!after || hasValue(before, table.listingId)) && (!after || hasValue(before, table.date));
  const was = isKnown ? day(before, { available: false }) : undefined;
  // Debezium writes day 0 for a NOT NULL column that the record does not name.
  if (was?.dates[0]?.date === DAY_0) throw new Error(`the row has no date. ${advice('date')}`);
  if (!is) return was ? [was] : [];
  const moved = was && (was.id !== is.id || was.dates[0]?.date !== is.dates[0]?.date);
  return moved ? [was, is] : [is];
}

const DAY_0 = '1970-01-01';

const advice = (column: string): string =>
  `If the ${column} is not in the primary key, set REPLICA IDENTITY FULL for the table`;

const hasValue = (row: Row, column: Column): boolean => {
  try {
    return (columnOf(row, column) ?? null) !== null;
  } catch {
    return false;
  }
};

/**
 * @param mayBeUnknown whether the id may be unknown: before an update, a row contains all columns only with
 * REPLICA IDENTITY FULL
 * @throws Error if the row has no id
 */
function idOf(row: Row, column: Column, mayBeUnknown = false): string | undefined {
  if (mayBeUnknown && !hasValue(row, column)) return undefined;
  const id = textIn(columnOf(row, column));
  // Debezium writes 0 or an empty string for a NOT NULL column that a deletion does not name.
  if (id === null || id === '' || id === '0') throw new Error(`the row has no listing id. ${advice('id')}`);
  return id;
}
