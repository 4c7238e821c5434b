import kafkajs, { type Kafka, type LogEntry, type logLevel as LogLevel } from 'kafkajs';
import { Type } from 'typebox';
import type { Log } from './log.ts';

/** Where Kafka is and what the topics are called (decisions §4). */
export const kafkaSettings = {
  KAFKA_BROKERS: Type.String({ format: 'brokers', description: 'host:port, several with commas' }),
  LISTING_EVENTS_TOPIC: Type.String({ default: 'marketplace.listing-events', pattern: '^[a-zA-Z0-9._-]{1,249}$' }),
  DEAD_LETTER_TOPIC: Type.Optional(Type.String({ pattern: '^[a-zA-Z0-9._-]{1,249}$', description: 'default: <events topic>.dead-letters' })),
};

/** The name of the dead-letter topic under these settings. */
export const deadLetterTopic = (settings: { LISTING_EVENTS_TOPIC: string; DEAD_LETTER_TOPIC?: string }): string =>
  settings.DEAD_LETTER_TOPIC ?? `${settings.LISTING_EVENTS_TOPIC}.dead-letters`;

/** What is wrong between the topics' names; for `readSettings`. */
export function checkTopics(settings: { LISTING_EVENTS_TOPIC: string; DEAD_LETTER_TOPIC?: string }): string[] {
  const name = deadLetterTopic(settings);
  if (name === settings.LISTING_EVENTS_TOPIC) return ['DEAD_LETTER_TOPIC is LISTING_EVENTS_TOPIC: dead letters would be read as events'];
  return name.length > 249 ? ['LISTING_EVENTS_TOPIC is too long for <events topic>.dead-letters: set DEAD_LETTER_TOPIC'] : [];
}

/**
 * The Kafka client as every part of the project uses it, its log lines led into ours. `onError` sees
 * each line kafkajs logs as an error and may throw, which ends what kafkajs was about to do.
 */
export function createKafka(brokers: string, log: Log, onError?: (entry: LogEntry) => void): Kafka {
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';
  return new kafkajs.Kafka({
    clientId: 'vitrine',
    brokers: brokers.split(',').map((broker) => broker.trim()),
    connectionTimeout: 5_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => (entry) => {
      if (entry.level === kafkajs.logLevel.ERROR) onError?.(entry);
      log[toPino(entry.level)]({ kafka: { namespace: entry.namespace, error: entry.log.error } }, entry.log.message);
    },
  });
}

/** Its errors are met and answered by our own code, which logs what came of them. */
const toPino = (level: LogLevel): 'warn' | 'debug' => (level === kafkajs.logLevel.ERROR ? 'warn' : 'debug');
