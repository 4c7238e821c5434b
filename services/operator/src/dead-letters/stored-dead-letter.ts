import { recordBytes, recordTime, type UnreadableReason } from '@vitrine/kafka';
import type { RawRecord, Version } from '@vitrine/listing-events';
import { LISTING_FAILED, recordIdentity } from '@vitrine/projection/dead-letters';

interface RecordPosition {
  topic: string;
  /** The id of the topic, which is absent in dead letters from release 1.1.0. */
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
  /** The time at which the dead letter was written, in ISO 8601. */
  time: string;
  /** The record's position, or the dead letter's position if the record's is unknown. */
  origin: RecordPosition;
  /** The size of the record's key, value and headers. */
  bytes: number;
  /** Whether a retry has sent the record again. */
  retried: boolean;
  /** The dismissal, if an operator has dismissed the record. */
  dismissed?: Dismissal;
  /**
   * The version of the listing that makes the record harmless: the live state holds this version or a higher
   * one for everything that the record would have set. It is absent if the record still matters, or names no
   * version.
   */
  corrected?: Version;
  /**
   * A retry has sent a record with the same content from this dead letter, and the record was refused again.
   */
  retryOf?: string;
}

/** The members that depend on other entries in the topic, or on the states. */
export type Standing = Pick<DeadLetterSummary, 'retried' | 'dismissed' | 'corrected' | 'retryOf'>;

export interface StoredDeadLetter extends Omit<DeadLetterSummary, keyof Standing> {
  kind: 'dead-letter';
  /** The rejected record with its original headers, including null headers. */
  record: RawRecord;
}

/** Why and when an operator has dismissed a dead letter. */
export interface Dismissal {
  /** The reason in the operator's words. */
  reason: string;
  /** The time of the dismissal in ISO 8601. */
  at: string;
}

/**
 * A mark in the dead-letter topic: a retry has sent a dead letter's record again, or an operator has
 * dismissed it.
 */
export interface Mark {
  kind: 'mark';
  /** The dead letter's ref. */
  ref: string;
  origin: RecordPosition;
  /** The dismissal, which is absent in the mark of a retry. */
  dismissed?: Dismissal;
  /** The identity of the record, which is absent in the mark of a retry. */
  identity?: string;
}

/** The time of a record without a usable timestamp, which counts as the oldest. */
const NO_TIME = '1970-01-01T00:00:00.000Z';
/** The header that contains the dead letter's ref in a mark. */
const RETRIED_HEADER = 'dead-letter-retried';
/** The header that contains the reason in the mark of a dismissal. */
const DISMISSED_HEADER = 'dead-letter-dismissed';
const IDENTITY_HEADER = 'dead-letter-identity';
const NULLS_HEADER = 'dead-letter-null-headers';

/** The headers that the projector adds to the record's headers. */
const OWN_HEADERS = new Set(
  ['reason', 'detail', 'topic', 'topic-id', 'partition', 'offset', 'time', 'null-headers'].map(
    (name) => `dead-letter-${name}`,
  ),
);

/** The reasons for dead letters that hold a record batch or a listing's state instead of a record. */
const WITHOUT_RECORD: ReadonlySet<string> = new Set<UnreadableReason | typeof LISTING_FAILED>([
  'batch-too-large',
  'undecodable-batch',
  LISTING_FAILED,
]);

/** Returns whether the dead letter holds a record that a retry can send. */
export const holdsRecord = ({ reason }: Pick<DeadLetterSummary, 'reason'>): boolean =>
  !WITHOUT_RECORD.has(reason);

/** Parses a message from the dead-letter topic into a dead letter, or into a mark. Pure. */
export function toStoredDeadLetter(
  topic: string,
  partition: number,
  message: RawRecord & { offset: string; timestamp: string | number },
): StoredDeadLetter | Mark {
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
    return {
      kind: 'mark',
      ref: retried,
      origin,
      ...dismissalOf(own(DISMISSED_HEADER), own('dead-letter-time') ?? NO_TIME, own(IDENTITY_HEADER)),
    };
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
 * Builds the mark of a retried dead letter. The mark and the dead letter are in the same partition, so every
 * reader reads the mark later.
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

/**
 * Builds the mark of a dismissed dead letter. It is also the mark of a retry, so that earlier releases, which
 * do not know about dismissals, hide the dead letter. The mark contains the record's identity, so that it
 * also applies to a dead letter that a rebuild writes after retention has deleted this one
 * (docs/decisions/0129-dismissed-dead-letters.md).
 */
export function dismissalMark(
  deadLetter: StoredDeadLetter,
  reason: string,
  now: Date,
): ReturnType<typeof retryMark> {
  const mark = retryMark(deadLetter, now);
  const own = { [DISMISSED_HEADER]: reason, [IDENTITY_HEADER]: identityOf(deadLetter) };
  return { ...mark, headers: { ...mark.headers, ...own } };
}

const dismissalOf = (
  reason: string | undefined,
  at: string,
  identity: string | undefined,
): Pick<Mark, 'dismissed' | 'identity'> =>
  reason === undefined ? {} : { dismissed: { reason, at }, ...(identity !== undefined && { identity }) };

/** The members of a dead letter that a list contains. */
export function summaryOf(
  { kind: _, record: __, ...deadLetter }: StoredDeadLetter,
  standing: Standing,
): DeadLetterSummary {
  return { ...deadLetter, ...standing };
}

/**
 * Returns a string that is equal for all dead letters of one record. A replay may write several dead letters
 * for a record.
 */
export const identityOf = ({ origin, record }: Pick<StoredDeadLetter, 'origin' | 'record'>): string =>
  recordIdentity({ ...record, ...origin });

/** Returns a string that is equal for records with the same key, value and headers, wherever they are. */
export const contentOf = ({ record }: Pick<StoredDeadLetter, 'record'>): string =>
  recordIdentity({ ...record, topic: '', partition: 0, offset: '' });

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
