import { createElasticsearch, createKafka, createLog, deadLetterTopic, readSettings } from '@vitrine/runtime';
import { sendDeadLetters } from '../../services/projector/src/dead-letter.ts';
import { DeadLetterSink } from '../../services/projector/src/dead-letter-sink.ts';
import { RULES, type Rules } from '../../services/projector/src/feed-item.ts';
import { createMetrics } from '../../services/projector/src/metrics.ts';
import type { Operation } from '../../services/projector/src/operation.ts';
import { OBSERVE_EVERY_MS, REQUEST_TIMEOUT_MS, STALL_LIMITS } from '../../services/projector/src/service.ts';
import { projectorSettings } from '../../services/projector/src/settings.ts';
import type { Deployment } from './deployment.ts';

export interface OperationOptions {
  /** How states become items; those of the code where nothing is said. */
  rules?: Rules;
  /** The operator's interruption. */
  signal?: AbortSignal;
  env?: Record<string, string>;
}

/** What an operator's command works with, inside the test's own process. */
export async function createOperation(
  deployment: Deployment,
  { rules = RULES, signal = new AbortController().signal, env = {} }: OperationOptions = {},
): Promise<Operation & { close(): Promise<void> }> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const log = createLog('cli', process.env.TEST_LOG ?? 'silent');
  const client = createElasticsearch({ url: settings.ELASTICSEARCH_URL, requestTimeout: REQUEST_TIMEOUT_MS, maxRetries: 0 });
  const kafka = createKafka(settings.KAFKA_BROKERS, log);
  const admin = kafka.admin();
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  return {
    settings,
    log,
    client,
    kafka,
    admin,
    producer,
    signal,
    metrics: createMetrics(),
    deadLetters: new DeadLetterSink((letters) => sendDeadLetters(producer, deadLetterTopic(settings), letters)),
    rules,
    stallLimits: STALL_LIMITS,
    observeEvery: OBSERVE_EVERY_MS,
    close: async () => {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      await client.close();
    },
  };
}
