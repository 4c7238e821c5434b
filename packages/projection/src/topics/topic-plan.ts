import type { TopicSpec } from '@vitrine/kafka';
import { MAX_RECORD_BYTES } from '@vitrine/listing-events';

/** Kafka's default for `max.message.bytes`. */
export const KAFKA_MESSAGE_BYTES = 1_048_588;
/** Size of a batch with one event of maximum size, including room for key, headers and framing. */
export const LARGEST_EVENT_BYTES = MAX_RECORD_BYTES + 64 * 1024;
/**
 * Factor for the headers of a dead letter, and for records that gzip compresses less well than their producer
 * did.
 */
export const DEAD_LETTER_ROOM = 2;
/** This number is enough for twelve projectors. Partitions can be added later, but never removed. */
export const PARTITIONS = 12;

/** The replication of a topic. */
export interface Replication {
  replicationFactor: number;
  minInsyncReplicas: number;
}

/**
 * Plans three copies, two of which must acknowledge each record. One broker can then fail without loss. If
 * there are fewer than three brokers, plans one copy per broker, and all copies except one must acknowledge.
 * @param chosen the operator's choices, which override the plan
 */
export function planReplication(brokers: number, chosen: Partial<Replication> = {}): Replication {
  const replicationFactor = chosen.replicationFactor ?? Math.min(brokers, 3);
  return {
    replicationFactor,
    minInsyncReplicas: chosen.minInsyncReplicas ?? Math.max(replicationFactor - 1, 1),
  };
}

type ConfigEntries = NonNullable<TopicSpec['configEntries']>;

const entries = (settings: Record<string, string | number>): ConfigEntries =>
  Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));

/**
 * Settings of the events topic: unlimited retention without compaction, because every event is a part of a
 * listing.
 */
export const eventsConfig = (minInsyncReplicas: number): ConfigEntries =>
  entries({
    'cleanup.policy': 'delete',
    'retention.ms': -1,
    'retention.bytes': -1,
    'max.message.bytes': LARGEST_EVENT_BYTES,
    'min.insync.replicas': minInsyncReplicas,
  });

/**
 * Settings of the dead-letter topic: unlimited retention, with room for the largest record of the events
 * topic.
 * @param largest the events topic's `max.message.bytes`
 */
export const deadLetterConfig = (largest: number, minInsyncReplicas?: number): ConfigEntries =>
  entries({
    'cleanup.policy': 'delete',
    'retention.ms': -1,
    'max.message.bytes': largest * DEAD_LETTER_ROOM,
    ...(minInsyncReplicas !== undefined && { 'min.insync.replicas': minInsyncReplicas }),
  });
