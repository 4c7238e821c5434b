import type { ListingEvent } from '@vitrine/listing-events';

export type { CalendarDate, FieldChanges, ListingEvent } from '@vitrine/listing-events';

/**
 * How the keys and the values of the source topics are encoded (docs/start/ingest.md#formats):
 * - `json`: the value is any JSON document, and the key is text
 * - `debezium`: both are Debezium's JSON, with or without schemas, and reach the mapping without the schemas
 * - `confluent`: both may have the wire format of a schema registry (`SCHEMA_REGISTRY_URL`)
 */
export const FORMATS = ['json', 'debezium', 'confluent'] as const;
export type Format = (typeof FORMATS)[number];

/**
 * A record from a source topic, with decoded content. Nothing checks that the content has the types `Value`
 * and `Key`: they state what the mapping expects.
 */
export interface MappingRecord<Value = unknown, Key = unknown> {
  topic: string;
  partition: number;
  offset: number;
  /** The record's timestamp in epoch milliseconds, or -1 if it has none. */
  timestamp: number;
  /** The key is null if the record has none. A key that is not UTF-8 remains a `Buffer`. */
  key: Key | null;
  /** The value is null for a tombstone. */
  value: Value | null;
  /**
   * The headers as text. A repeated header keeps only its last value. A header without a value is left out.
   */
  headers: Record<string, string>;
}

/** The argument of `defineMapping`. */
export interface Mapping<Value = unknown, Key = unknown> {
  /** The source topics. Each one has a consumer group of its own. */
  topics: readonly string[];
  format: Format;
  /**
   * Turns one record into any number of events. An event without `source` gets `/ingest/<topic>`, and an
   * event without `time` gets the record's timestamp.
   *
   * The function must be pure and synchronous: its result depends on its argument alone. It must not read the
   * clock, random numbers, files, the network, or variables that it changes itself, because the same record
   * is mapped again after a restart and must give the same events. It must not change its argument.
   *
   * If the function throws, or if one of its events is invalid, the record becomes a dead letter of the
   * ingest, and none of its events is published.
   * @returns an empty array if the record does not concern the feed
   */
  map(record: MappingRecord<Value, Key>): ListingEvent[];
}

/**
 * Declares a mapping, which is the default export of a mapping module. Returns its argument, because the
 * function exists only for its types.
 */
export const defineMapping = <Value = unknown, Key = unknown>(
  mapping: Mapping<Value, Key>,
): Mapping<Value, Key> => mapping;
