import {
  connectAdmin,
  createElasticsearch,
  createKafka,
  deadLetterTopic,
  elasticsearchConnection,
  kafkaConnection,
  type Log,
} from '@vitrine/runtime';
import { sendDeadLetters } from '../dead-letter.ts';
import { DeadLetterSink } from '../dead-letter-sink.ts';
import type { Rules } from '../feed-item.ts';
import { readRegistry } from '../generations/registry.ts';
import { createMetrics } from '../metrics.ts';
import type { Operation } from '../operation.ts';
import { OBSERVE_EVERY_MS, REQUEST_TIMEOUT_MS, STALL_LIMITS } from '../service.ts';
import type { ProjectorSettings } from '../settings.ts';

/** An operation and the function that lets go of all it holds. */
export interface Connected {
  operation: Operation;
  close(): Promise<void>;
}

/**
 * Connects to both engines.
 * @throws an Error that says which of them does not answer, and where
 */
export async function connect(settings: ProjectorSettings, rules: Rules, log: Log, signal: AbortSignal): Promise<Connected> {
  const elasticsearch = elasticsearchConnection(settings);
  const client = createElasticsearch({ ...elasticsearch, requestTimeout: REQUEST_TIMEOUT_MS, maxRetries: 0 });
  const connection = kafkaConnection(settings);
  const kafka = createKafka(connection, log);
  const admin = kafka.admin();
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  const close = async () => {
    await Promise.allSettled([producer.disconnect(), admin.disconnect(), client.close()]);
  };
  try {
    await readRegistry(client, settings.INDEX_PREFIX, signal).catch((error: Error) => {
      throw new Error(`Elasticsearch does not answer at ${elasticsearch.url}: ${error.message}`, { cause: error });
    });
    await connectAdmin(admin, connection);
    await producer.connect();
  } catch (error) {
    await close();
    throw error;
  }
  const deadLetters = new DeadLetterSink((letters) => sendDeadLetters(producer, deadLetterTopic(settings), letters));
  const surroundings = { settings, rules, log, client, admin, deadLetters, metrics: createMetrics() };
  return { operation: { ...surroundings, kafka, producer, signal, stallLimits: STALL_LIMITS, observeEvery: OBSERVE_EVERY_MS }, close };
}
