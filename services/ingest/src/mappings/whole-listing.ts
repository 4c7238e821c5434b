import { type CalendarDate, type FieldChanges, type ListingEvent, versionOf } from '@vitrine/listing-events';
import { defineMapping, type Format, type Mapping, type MappingRecord } from '../mapping.ts';

export interface WholeListing<Value> {
  topic: string;
  /** The format of the records. The default is `json`. */
  format?: Format;
  /** Returns the listing id. The default is the record's key, which must be text. */
  id?(record: MappingRecord<Value>): string;
  /**
   * The listing. A field that is left out is cleared. Without `availability`, the calendar does not change.
   */
  listing(value: Value, record: MappingRecord<Value>): FieldChanges & { availability?: CalendarDate[] };
  /**
   * The version of the listing: `offset`, which counts from 1, or a value in the record that grows with each
   * change. docs/start/ingest.md#versions says when each is unsafe.
   */
  version: 'offset' | ((value: Value, record: MappingRecord<Value>) => number);
  /** Whether the value says that the listing is gone. A tombstone always does. */
  isRemoved?(value: Value): boolean;
  /** Raise the epoch if the versions fall, for example because the topic was created again. */
  versionEpoch?: number;
}

/** The header that gives a tombstone its version, if the version is a value in the record. */
const VERSION_HEADER = 'version';

/** Maps a topic with one whole listing in each record. */
export function wholeListing<Value>(options: WholeListing<Value>): Mapping<Value> {
  const { topic, format = 'json', id = keyOf, versionEpoch = 0 } = options;
  return defineMapping<Value>({
    topics: [topic],
    format,
    map(record): ListingEvent[] {
      const { value } = record;
      const head = { id: id(record), version: versionOf(versionEpoch, numberOf(options, record)) };
      if (value === null || resultOf('isRemoved', options.isRemoved?.(value)))
        return [{ ...head, kind: 'removed' }];
      const listing: unknown = resultOf('listing', options.listing(value, record));
      // Anything else would become a listing without content, and the feed would hide the listing.
      if (typeof listing !== 'object' || Array.isArray(listing))
        throw new Error(`listing returned ${JSON.stringify(listing)} instead of an object`);
      const { availability, ...fields } = listing as ReturnType<WholeListing<Value>['listing']>;
      return [{ ...head, kind: 'snapshot', fields, ...(availability && { dates: availability }) }];
    },
  });
}

/**
 * A promise is truthy and has no members of its own, so it would pass as a result. @throws Error if the
 * function is asynchronous
 */
function resultOf<T>(name: string, result: T): T {
  if (!(result instanceof Promise)) return result;
  result.catch(() => undefined);
  throw new Error(`${name} returned a promise. It must be synchronous`);
}

/** @throws Error if the key is not text */
function keyOf({ key }: MappingRecord): string {
  if (typeof key !== 'string') throw new Error('the key of the record is not text. Set id in the mapping');
  return key;
}

/** @throws Error if a tombstone has no version */
function numberOf<Value>({ version }: WholeListing<Value>, record: MappingRecord<Value>): number {
  if (version === 'offset') return record.offset + 1;
  if (record.value !== null) return version(record.value, record);
  const header = record.headers[VERSION_HEADER];
  if (header === undefined || !/^\d{1,16}$/.test(header))
    throw new Error(
      'a tombstone has no value, so its version must be an integer in the header version. Alternatively, use ' +
        'the offset as version',
    );
  return Number(header);
}
