import type { FieldChanges } from '@vitrine/listing-events';
import { numberIn, type Row, textIn, textsIn, timeIn, UnavailableColumn } from './column-values.ts';

/** Where a value comes from: the name of a column, or a pure function of the row. */
export type Column = string | ((row: Row) => unknown);

/** The columns of the listing's fields. A field without an entry is never set. */
export interface ListingColumns {
  ad_type?: Column;
  title?: Column;
  description?: Column;
  category?: Column;
  sub_category?: Column;
  price?: Column;
  /** The location is one field, so an event always sets all of it. */
  location?: { city?: Column; state?: Column; lat?: Column; lng?: Column };
  /** The provider is one field, like the location. */
  provider?: { name?: Column; slug?: Column };
  rating?: Column;
  review_count?: Column;
  images?: Column;
  url?: Column;
  published_at?: Column;
}

type Reader = (value: unknown) => unknown;

const READERS: { [K in keyof Required<ListingColumns>]: Reader | Record<string, Reader> } = {
  ad_type: textIn,
  title: textIn,
  description: textIn,
  category: textIn,
  sub_category: textIn,
  price: numberIn,
  location: { city: textIn, state: textIn, lat: numberIn, lng: numberIn },
  provider: { name: textIn, slug: textIn },
  rating: numberIn,
  review_count: numberIn,
  images: textsIn,
  url: textIn,
  published_at: timeIn,
};

/** Reads a column. @throws Error that names a missing column */
export function columnOf(row: Row, column: Column): unknown {
  if (typeof column === 'function') return column(row);
  if (!(column in row)) throw new Error(`the row has no column ${column}`);
  return row[column];
}

/**
 * Reads the fields of a listing from its row. Leaves out a field if an update did not change one of its
 * columns and Debezium does not know the value.
 * @param isNew whether the feed has no earlier value that could stay
 * @throws Error that names the field
 */
export function fieldsOf(columns: ListingColumns, row: Row, isNew: boolean): FieldChanges {
  const fields: Record<string, unknown> = {};
  for (const [name, column] of Object.entries(columns))
    try {
      fields[name] = readColumn(row, column, READERS[name as keyof ListingColumns]);
    } catch (error) {
      if (isNew || !(error instanceof UnavailableColumn)) throw withField(name, error);
    }
  return fields;
}

function readColumn(
  row: Row,
  column: Column | Record<string, Column>,
  reader: Reader | Record<string, Reader>,
) {
  if (typeof reader === 'function') return reader(columnOf(row, column as Column));
  return Object.fromEntries(
    Object.entries(column).map(([part, one]) => [part, reader[part]?.(columnOf(row, one as Column))]),
  );
}

const withField = (name: string, error: unknown): Error =>
  new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

/** Clears all mapped fields. */
export const cleared = (columns: ListingColumns): FieldChanges =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, null]));
