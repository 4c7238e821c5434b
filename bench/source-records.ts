import { fieldsOf, type LogRecord, listingId } from './listing-events.ts';

/** A row in a marketplace's listings table. */
export interface SourceListing {
  id: string;
  ad_type: string;
  title: string;
  description: string;
  category: string;
  price: number;
  city: string;
  state: string;
  lat: number;
  lng: number;
  url: string;
  published_at: string;
}

/** The encoding of a source topic. */
export type SourceFormat = 'json' | 'debezium' | 'avro';

const TEXTS = [
  'id',
  'ad_type',
  'title',
  'description',
  'category',
  'city',
  'state',
  'url',
  'published_at',
] as const;
const NUMBERS = ['price', 'lat', 'lng'] as const;

/** The registry has the Avro records' schema under this id. */
const AVRO_SCHEMA_ID = 1;
export const AVRO_SCHEMA = JSON.stringify({
  type: 'record',
  name: 'Listing',
  fields: [
    ...TEXTS.map((name) => ({ name, type: 'string' })),
    ...NUMBERS.map((name) => ({ name, type: 'double' })),
  ],
});

const LSN = 5_000_000_000;
const TIME = Date.parse('2026-11-01T12:00:00Z');

/** One record for each listing. Every call returns the same records. */
export function* sourceRecords(format: SourceFormat, count: number): Generator<LogRecord> {
  for (let listing = 0; listing < count; listing++) {
    const row = rowOf(listing);
    if (format === 'avro') yield { key: row.id, value: avro(row) };
    else if (format === 'json') yield { key: row.id, value: JSON.stringify(row) };
    else
      yield { key: JSON.stringify({ id: row.id }), value: JSON.stringify(envelope(row, LSN + 8 * listing)) };
  }
}

function rowOf(listing: number): SourceListing {
  const { location, ...fields } = fieldsOf(listing);
  return { id: listingId(listing), ...fields, ...location };
}

/** The members that Debezium 3 writes with `schemas.enable=false`. */
const envelope = (after: SourceListing, lsn: number) => ({
  before: null,
  after,
  source: {
    version: '3.0.0.Final',
    connector: 'postgresql',
    name: 'shop',
    ts_ms: TIME,
    snapshot: 'false',
    db: 'shop',
    sequence: `["${lsn - 8}","${lsn}"]`,
    ts_us: TIME * 1_000,
    ts_ns: TIME * 1_000_000,
    schema: 'public',
    table: 'listings',
    txId: 700,
    lsn,
    xmin: null,
  },
  transaction: null,
  op: 'c',
  ts_ms: TIME,
});

/** Confluent's wire format: a zero byte, the id of the schema in four bytes, and the fields in Avro's encoding. */
function avro(row: SourceListing): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(AVRO_SCHEMA_ID, 1);
  const texts = TEXTS.flatMap((name) => {
    const text = Buffer.from(row[name]);
    return [length(text.length), text];
  });
  const numbers = Buffer.alloc(8 * NUMBERS.length);
  for (const [i, name] of NUMBERS.entries()) numbers.writeDoubleLE(row[name], 8 * i);
  return Buffer.concat([head, ...texts, numbers]);
}

/** A length in Avro's encoding: zigzag, seven bits in each byte. */
function length(value: number): Buffer {
  const bytes: number[] = [];
  let left = value * 2;
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}
