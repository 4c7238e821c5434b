import { MAX_RECORD_BYTES } from '@vitrine/listing-events';
import type { ITopicConfig } from 'kafkajs';

/** `max.message.bytes` as Kafka ships. */
export const KAFKA_MESSAGE_BYTES = 1_048_588;
/** What a batch with one event of the largest size takes: its value, and room for key, headers and framing. */
export const LARGEST_EVENT_BYTES = MAX_RECORD_BYTES + 64 * 1024;
/** For a dead letter's own headers, and for records that our gzip packs less tightly than their producer did. */
export const DEAD_LETTER_ROOM = 2;
/** Enough for twelve projectors; more can be added later, and never fewer. */
export const PARTITIONS = 12;

/** How copies of a topic are kept. */
export interface Replication {
  replicationFactor: number;
  minInsyncReplicas: number;
}

/**
 * Three copies of which two must have each record, so that one broker may be away and nothing is lost;
 * with fewer brokers as many as there are, of which one may be away.
 * @param chosen what the operator decided; the rest follows from it
 */
export function planReplication(brokers: number, chosen: Partial<Replication> = {}): Replication {
  const replicationFactor = chosen.replicationFactor ?? Math.min(brokers, 3);
  return { replicationFactor, minInsyncReplicas: chosen.minInsyncReplicas ?? Math.max(replicationFactor - 1, 1) };
}

type ConfigEntries = NonNullable<ITopicConfig['configEntries']>;

const entries = (settings: Record<string, string | number>): ConfigEntries =>
  Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));

/** The events: kept whole and without end, since each is a part of a listing. */
export const eventsConfig = (minInsyncReplicas: number): ConfigEntries =>
  entries({
    'cleanup.policy': 'delete',
    'retention.ms': -1,
    'retention.bytes': -1,
    'max.message.bytes': LARGEST_EVENT_BYTES,
    'min.insync.replicas': minInsyncReplicas,
  });

/**
 * The dead letters: kept without end, with room for the largest record of the events topic.
 * @param largest the events topic's `max.message.bytes`
 */
export const deadLetterConfig = (largest: number, minInsyncReplicas?: number): ConfigEntries =>
  entries({
    'cleanup.policy': 'delete',
    'retention.ms': -1,
    'max.message.bytes': largest * DEAD_LETTER_ROOM,
    ...(minInsyncReplicas !== undefined && { 'min.insync.replicas': minInsyncReplicas }),
  });
