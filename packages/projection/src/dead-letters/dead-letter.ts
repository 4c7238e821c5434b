import { createHash } from 'node:crypto';
import {
  type KafkaProducer,
  type Message,
  type MessageHeaders,
  recordBytes,
  type SourceRecord,
  sendInHalves,
  UNREADABLE_REASONS,
} from '@vitrine/kafka';
import type { ListingState } from '@vitrine/listing';
import { REFUSALS } from '@vitrine/listing-events';

/** The reason in the dead letter for a listing whose state yields no item that the index accepts. */
export const LISTING_FAILED = 'listing-failed';

export const DEAD_LETTER_REASONS = [
  ...REFUSALS,
  ...UNREADABLE_REASONS,
  'refused-by-index',
  LISTING_FAILED,
] as const;

/** A record that the projector cannot apply, with the reason. */
export interface DeadLetter {
  record: SourceRecord;
  /** One of `DEAD_LETTER_REASONS`. */
  reason: string;
  detail: string;
}

/**
 * The error for a dead-letter topic that is not writable. The projector must not commit any offset in this
 * case, so it stops.
 */
class DeadLetterTopicError extends Error {
  override readonly name = 'DeadLetterTopicError';
}

/** Kafka limits the size of a batch. All messages for one partition in a request form a batch. */
const MAX_SEND_BYTES = 512 * 1024;
/** The approximate size of the added headers and the framing. */
export const OWN_HEADERS_BYTES = 1024;

/**
 * Builds the message for a dead letter. It contains the record's key, value and headers byte for byte, and
 * headers with the origin and the reason. Pure, given the time.
 */
export function toMessage({ record, reason, detail }: DeadLetter, now: Date): Message {
  const headers: MessageHeaders = {
    ...originalHeaders(record),
    'dead-letter-reason': reason,
    'dead-letter-detail': detail,
    'dead-letter-topic': record.topic,
    ...(record.topicId !== undefined && { 'dead-letter-topic-id': record.topicId }),
    'dead-letter-partition': String(record.partition),
    'dead-letter-offset': record.offset,
    'dead-letter-time': now.toISOString(),
  };
  return { key: record.key, value: record.value, headers };
}

/**
 * The record's headers in a form that kafkajs can write. kafkajs cannot write a null value, so an empty value
 * replaces it, and `dead-letter-null-headers` names the header.
 */
function originalHeaders({ headers = {} }: SourceRecord): MessageHeaders {
  const nulls: string[] = [];
  const kept = Object.entries(headers).map(
    ([name, value]): [string, Buffer | string | (Buffer | string)[]] => {
      if ([value].flat().includes(null)) nulls.push(name);
      const parts = [value].flat().map((part) => part ?? Buffer.alloc(0));
      return [name, parts.length === 1 ? (parts[0] as Buffer | string) : parts];
    },
  );
  return {
    ...Object.fromEntries(kept),
    ...(nulls.length > 0 && { 'dead-letter-null-headers': nulls.join(', ') }),
  };
}

/**
 * Writes dead letters and waits until all in-sync replicas have them.
 * @throws DeadLetterTopicError if Kafka rejects a dead letter
 */
export async function sendDeadLetters(
  producer: KafkaProducer,
  topic: string,
  deadLetters: readonly DeadLetter[],
): Promise<void> {
  let messages: Message[] = [];
  let bytes = 0;
  const flush = async () => {
    if (messages.length === 0) return;
    try {
      // A decompressed batch can be far larger than the topic allows, so large requests are compressed again.
      const compression = bytes > MAX_SEND_BYTES ? 'zstd' : undefined;
      await sendInHalves(messages, (some) =>
        producer.send({ topic, messages: some, ...(compression && { compression }) }),
      );
    } catch (error) {
      throw new DeadLetterTopicError(
        `could not write to the dead-letter topic ${topic}: ` +
          `${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    }
    messages = [];
    bytes = 0;
  };
  for (const deadLetter of deadLetters) {
    const size = recordBytes(deadLetter.record) + OWN_HEADERS_BYTES;
    if (bytes + size > MAX_SEND_BYTES) await flush();
    messages.push(toMessage(deadLetter, new Date()));
    bytes += size;
  }
  await flush();
}

/**
 * A short string that is equal for all dead letters of one record: a hash of the record's topic, partition,
 * offset and content. The position in the log alone is not enough, because a recreated topic holds other
 * records at the same positions. The headers are part of the content, because they hold the version of a
 * tombstone and the attributes of a binary CloudEvent. The topic's id is part of the identity if it is known.
 * Release 1.1.0 wrote dead letters without it. Pure. Rule: docs/decisions/0033-dead-letter-identity.md
 */
export function recordIdentity(record: SourceRecord): string {
  const { topic, topicId, partition, offset, key, value, headers = {} } = record;
  const hash = createHash('sha256');
  // A length precedes each part, so different records never produce the same input for the hash.
  const add = (part: Buffer | string | null | undefined) => {
    hash.update(`${part === null || part === undefined ? 'null' : Buffer.byteLength(part)}/`);
    if (part) hash.update(part);
  };
  for (const part of [topic, String(partition), offset, key, value]) add(part);
  for (const [name, header] of Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parts = [header].flat();
    for (const part of [name, String(parts.length), ...parts]) add(part);
  }
  if (topicId !== undefined) add(topicId);
  // 128 bits make an accidental collision practically impossible.
  return hash.digest('base64url').slice(0, 22);
}

interface FailedListing {
  index: string;
  id: string;
  revision: number;
  state: ListingState;
}

/**
 * A state can exceed the limit of the dead-letter topic. A state above this size remains only in the states
 * index.
 */
const MAX_VALUE_BYTES = 512 * 1024;

/**
 * Creates the dead letter for a listing that a rebuild from states or a verification could not turn into an
 * item. No record caused the failure. Therefore the dead letter names the states index as its topic, and
 * contains the state as its value (null above 512 KiB). Its offset is always 0, because a repair increments
 * the revision of an unchanged state, and the same failure must not create a new dead letter every night.
 * Pure. Rule: docs/decisions/0032-failed-listings.md
 * @param detail an explanation for the operator
 */
export function listingDeadLetter({ index, id, revision, state }: FailedListing, detail: string): DeadLetter {
  const value = Buffer.from(JSON.stringify(state));
  return {
    record: {
      topic: index,
      partition: 0,
      offset: '0',
      key: Buffer.from(id),
      value: value.length <= MAX_VALUE_BYTES ? value : null,
      headers: {},
    },
    reason: LISTING_FAILED,
    detail: `state revision ${revision}: ${detail}`,
  };
}
