import {
  checkTopics,
  createElasticsearch,
  createKafka,
  createLog,
  deadLetterTopic,
  kafkaSettings,
  type Log,
  readSettings,
  sharedSettings,
} from '@vitrine/runtime';
import { Type } from 'typebox';
import { sendDeadLetters } from '../dead-letter.ts';
import { DeadLetterSink } from '../dead-letter-sink.ts';
import { RULES, type Rules } from '../feed-item.ts';
import { readRegistry } from '../generations/registry.ts';
import { createMetrics } from '../metrics.ts';
import type { Operation } from '../operation.ts';
import { OBSERVE_EVERY_MS, REQUEST_TIMEOUT_MS, STALL_LIMITS } from '../service.ts';
import { type ProjectorSettings, projectorSettings } from '../settings.ts';
import type { TopicOperation } from '../topics/inspect-topics.ts';
import type { Surroundings } from './run-command.ts';

/** What a command works with, and the function that lets go of all it holds. */
export interface Connected<T> {
  operation: T;
  close(): Promise<void>;
}

/** Reads the settings and connects. @throws SettingsError; an Error that says which engine does not answer, and where */
export type Open<T> = (surroundings: Surroundings) => Promise<Connected<T>>;

/** Both engines, by the projector's own settings. */
export const openOperation: Open<Operation> = async ({ env, rules = RULES, signal }) => {
  const settings = readSettings(projectorSettings, { LOG_LEVEL: 'warn', ...env }, checkTopics);
  return connect(settings, rules, createLog('cli', settings.LOG_LEVEL, 2), signal);
};

/** Kafka alone: topics are made before there is anything else. */
const topicSettings = Type.Object({ LOG_LEVEL: sharedSettings.LOG_LEVEL, ...kafkaSettings });

export const openTopics: Open<TopicOperation> = async ({ env }) => {
  const settings = readSettings(topicSettings, { LOG_LEVEL: 'warn', ...env }, checkTopics);
  const admin = createKafka(settings.KAFKA_BROKERS, createLog('cli', settings.LOG_LEVEL, 2)).admin();
  await admin.connect().catch((error: Error) => {
    throw new Error(`Kafka does not answer at ${settings.KAFKA_BROKERS}: ${error.message}`, { cause: error });
  });
  return { operation: { settings, admin }, close: () => admin.disconnect() };
};

/**
 * Connects to both engines.
 * @throws an Error that says which of them does not answer, and where
 */
export async function connect(settings: ProjectorSettings, rules: Rules, log: Log, signal: AbortSignal): Promise<Connected<Operation>> {
  const client = createElasticsearch({ url: settings.ELASTICSEARCH_URL, requestTimeout: REQUEST_TIMEOUT_MS, maxRetries: 0 });
  const kafka = createKafka(settings.KAFKA_BROKERS, log);
  const admin = kafka.admin();
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  const close = async () => {
    await Promise.allSettled([producer.disconnect(), admin.disconnect(), client.close()]);
  };
  try {
    await readRegistry(client, settings.INDEX_PREFIX, signal).catch((error: Error) => {
      throw new Error(`Elasticsearch does not answer at ${settings.ELASTICSEARCH_URL}: ${error.message}`, { cause: error });
    });
    await Promise.all([admin.connect(), producer.connect()]).catch((error: Error) => {
      throw new Error(`Kafka does not answer at ${settings.KAFKA_BROKERS}: ${error.message}`, { cause: error });
    });
  } catch (error) {
    await close();
    throw error;
  }
  const deadLetters = new DeadLetterSink((letters) => sendDeadLetters(producer, deadLetterTopic(settings), letters));
  const surroundings = { settings, rules, log, client, admin, deadLetters, metrics: createMetrics() };
  return { operation: { ...surroundings, kafka, producer, signal, stallLimits: STALL_LIMITS, observeEvery: OBSERVE_EVERY_MS }, close };
}
