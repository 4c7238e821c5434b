import { recordBytes, recordTime, type UnreadableReason } from '@vitrine/kafka';
import type { RawRecord } from '@vitrine/listing-events';
import { LISTING_FAILED, recordIdentity } from '@vitrine/projection/dead-letters';

/** A position in Kafka. */
interface RecordPosition {
  topic: string;
  /** The id of the topic. Absent in dead letters of release 1.1.0. */
  topicId?: string;
  partition: number;
  offset: string;
}

/** The members of a dead letter that a list contains. */
export interface DeadLetterSummary {
  /** `partition:offset` in the dead-letter topic. */
  ref: string;
  /** The record's key: null if the record has no key, and `base64:…` if the key is not UTF-8. */
  key: string | null;
  reason: string;
  detail: string;
  /** Time at which the dead letter was written, ISO 8601. */
  time: string;
  /** The record's position, or the dead letter's position if the record's is unknown. */
  origin: RecordPosition;
  /** Size of the record's key, value and headers. */
  bytes: number;
  /** Whether a retry has sent the record again. */
  retried: boolean;
}

/** A dead letter from the topic. */
export interface StoredDeadLetter extends Omit<DeadLetterSummary, 'retried'> {
  kind: 'dead-letter';
  /** The rejected record with its original headers, including null headers. */
  record: RawRecord;
}

/** A mark in the dead-letter topic: a retry has sent the record of a dead letter again. */
export interface RetryMark {
  kind: 'mark';
  /** The dead letter's ref. */
  ref: string;
  origin: RecordPosition;
}

/** The time of a record without a usable timestamp, which counts as the oldest. */
const NO_TIME = '1970-01-01T00:00:00.000Z';
/** The header of a mark that contains the ref of the dead letter. */
const RETRIED_HEADER = 'dead-letter-retried';
const NULLS_HEADER = 'dead-letter-null-headers';

/** The headers that the projector adds to the record's headers. */
const OWN_HEADERS = new Set(
  ['reason', 'detail', 'topic', 'topic-id', 'partition', 'offset', 'time', 'null-headers'].map(
    (name) => `dead-letter-${name}`,
  ),
);

/** Reasons of dead letters that hold a record batch or a listing's state instead of a record. */
const WITHOUT_RECORD: ReadonlySet<string> = new Set<UnreadableReason | typeof LISTING_FAILED>([
  'batch-too-large',
  'undecodable-batch',
  LISTING_FAILED,
]);

/** Returns whether the dead letter holds a record that a retry can send. */
export const holdsRecord = ({ reason }: Pick<DeadLetterSummary, 'reason'>): boolean =>
  !WITHOUT_RECORD.has(reason);

/** Parses a message of the dead-letter topic into a dead letter, or into the mark of a retried one. Pure. */
export function toStoredDeadLetter(
  topic: string,
  partition: number,
  message: RawRecord & { offset: string; timestamp: string | number },
): StoredDeadLetter | RetryMark {
  const { key, value, headers = {}, offset, timestamp } = message;
  const own = (name: string): string | undefined => {
    const header = Object.hasOwn(headers, name) ? [headers[name]].flat()[0] : undefined;
    return header === undefined || header === null ? undefined : String(header);
  };
  const ref = `${partition}:${offset}`;
  const topicId = own('dead-letter-topic-id');
  const origin = {
    topic: own('dead-letter-topic') ?? topic,
    ...(topicId !== undefined && { topicId }),
    partition: Number(own('dead-letter-partition') ?? partition),
    offset: own('dead-letter-offset') ?? offset,
  };
  // A rejected record may have a header with this name, but its dead letter always has a reason.
  const retried = own(RETRIED_HEADER);
  if (retried !== undefined && own('dead-letter-reason') === undefined && value === null)
    return { kind: 'mark', ref: retried, origin };
  const record: RawRecord = { key, value, headers: originalHeaders(headers, own(NULLS_HEADER)) };
  return {
    kind: 'dead-letter',
    ref,
    key: keyText(key),
    reason: own('dead-letter-reason') ?? 'unknown',
    detail: own('dead-letter-detail') ?? '',
    time: own('dead-letter-time') ?? recordTime(Number(timestamp)) ?? NO_TIME,
    origin,
    bytes: recordBytes(record),
    record,
  };
}

/**
 * Builds the mark of a retried dead letter. Mark and dead letter are in the same partition, so every reader
 * reads the mark later.
 */
export function retryMark(
  { ref, origin, record }: StoredDeadLetter,
  now: Date,
): { key: Buffer | null; value: null; partition: number; headers: Record<string, string> } {
  return {
    key: record.key,
    value: null,
    partition: Number(ref.split(':')[0]),
    headers: {
      [RETRIED_HEADER]: ref,
      'dead-letter-time': now.toISOString(),
      'dead-letter-topic': origin.topic,
      'dead-letter-partition': String(origin.partition),
      'dead-letter-offset': origin.offset,
    },
  };
}

/** The members of a dead letter that a list contains. */
export function summaryOf(
  { kind: _, record: __, ...deadLetter }: StoredDeadLetter,
  retried: boolean,
): DeadLetterSummary {
  return { ...deadLetter, retried };
}

/**
 * Returns a text that is equal for all dead letters of one record. A replay may write several dead letters
 * for a record.
 */
export const identityOf = ({ origin, record }: Pick<StoredDeadLetter, 'origin' | 'record'>): string =>
  recordIdentity({ ...record, ...origin });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes bytes as text. Returns undefined if they are not UTF-8. */
export function asText(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const keyText = (key: Buffer | null): string | null =>
  key && (asText(key) ?? `base64:${key.toString('base64')}`);

function originalHeaders(
  headers: NonNullable<RawRecord['headers']>,
  nullNames: string | undefined,
): NonNullable<RawRecord['headers']> {
  const nulls = new Set(nullNames?.split(', '));
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const parts = [value].flat().filter((part) => part !== null && part !== undefined);
      const restored = nulls.has(name) ? parts.filter((part) => part.length > 0) : parts;
      if (restored.length === 0) return [name, null];
      return [name, restored.length === 1 ? (restored[0] as Buffer | string) : restored];
    }),
  );
}
