import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import { createKafka, deadLetterTopic, KafkaError, kafkaConnection } from '@vitrine/kafka';
import { RULES, type Rules, reasonsOf } from '@vitrine/listing';
import { createMetrics, REQUEST_TIMEOUT_MS } from '@vitrine/projection';
import { DeadLetterSink, sendDeadLetters } from '@vitrine/projection/dead-letters';
import {
  ensureFirstGeneration,
  lastGroupNumber,
  UnusableIndexError,
  versionsWith,
} from '@vitrine/projection/generations';
import {
  OBSERVE_EVERY_MS,
  STALL_LIMITS,
  type StallLimits,
  whileKafkaIsAway,
} from '@vitrine/projection/progress';
import type { ProjectorSettings } from '@vitrine/projection/settings';
import { bulkLimit } from '@vitrine/projection/store';
import { ensureTopics } from '@vitrine/projection/topics';
import {
  createElasticsearch,
  elasticsearchConnection,
  failureReason,
  measureElasticsearch,
} from '@vitrine/runtime/elasticsearch';
import type { Log } from '@vitrine/runtime/log';
import { type Readiness, type RunningService, startAdminServer } from '@vitrine/runtime/service';
import { keepCounting } from './generation-gauges.ts';
import { GenerationSupervisor } from './generation-supervisor.ts';

export interface ProjectorOptions {
  stallLimits?: StallLimits;
  /** Milliseconds between two readings of the log's offsets. */
  observeEvery?: number;
  /** Milliseconds between two counts of the indices' contents. */
  countEvery?: number;
  /** Milliseconds between two inspections of the indices' settings. */
  inspectEvery?: number;
  rules?: Rules;
}

const COUNT_EVERY_MS = 15_000;
const RECONCILE_EVERY_MS = 1_000;
const RETRY_START_MS = 1_000;
/** Each attempt under a foreign index template creates an index and then deletes it. */
const RETRY_INDICES_MS = 5_000;

/**
 * The composition root of the write side: topics, registry, first generation, one consumer per ready
 * generation, health and metrics. Waits for Kafka and Elasticsearch without a time limit.
 * @throws Error if Kafka refuses the client, a topic is missing, offsets are lost, or a port is in use
 */
export async function startProjector(
  settings: ProjectorSettings,
  log: Log,
  options: ProjectorOptions = {},
): Promise<RunningService & { adminPort: number }> {
  const { LISTING_EVENTS_TOPIC: topic } = settings;
  const rules = options.rules ?? RULES;
  const metrics = createMetrics(reasonsOf(rules));
  const failed = Promise.withResolvers<Error>();
  let supervisor: GenerationSupervisor | undefined;
  /** The reason why there is no supervisor yet. */
  let obstacle: string | undefined = 'starting';
  const readiness = (): Readiness => {
    const reasons = obstacle === undefined ? (supervisor?.reasons() ?? []) : [obstacle];
    return { ready: reasons.length === 0, reasons };
  };
  metrics.watchReady(() => readiness().ready);

  const adminServer = await startAdminServer(settings.ADMIN_PORT, metrics.registry, readiness);
  const client = createElasticsearch({
    ...elasticsearchConnection(settings),
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxRetries: 0,
  });
  measureElasticsearch(client, metrics.registry);
  metrics.watchBulkLimit(() => bulkLimit(client));
  const kafka = createKafka(kafkaConnection(settings), log);
  const admin = kafka.admin();
  const producer = kafka.producer();
  const stopping = new AbortController();
  const { signal } = stopping;
  const waitFor = (engine: string, error: unknown) => {
    const reason = failureReason(error);
    obstacle = `waiting for ${engine}: ${reason}`;
    log.warn({ reason }, `waiting for ${engine}`);
  };
  await whileKafkaIsAway(
    async () => {
      await admin.connect();
      await ensureTopics(admin, topic, deadLetterTopic(settings));
      await producer.connect();
    },
    signal,
    (error) => waitFor('Kafka', error),
  );
  const lastGroup = () => lastGroupNumber(admin, settings.CONSUMER_GROUP, topic, 0);
  await untilElasticsearchAnswers(
    () => ensureFirstGeneration(client, settings, versionsWith(rules), lastGroup),
    (error) => waitFor(error instanceof KafkaError ? 'Kafka' : 'Elasticsearch', error),
  );

  supervisor = new GenerationSupervisor(
    {
      settings,
      log,
      client,
      admin,
      metrics,
      deadLetters: new DeadLetterSink((batch) => sendDeadLetters(producer, deadLetterTopic(settings), batch)),
      rules,
      stallLimits: options.stallLimits ?? STALL_LIMITS,
      observeEvery: options.observeEvery ?? OBSERVE_EVERY_MS,
    },
    failed.resolve,
    options.inspectEvery,
  );
  /** If the registry cannot be read, the running consumers continue. */
  const reconcile = () =>
    supervisor.reconcile(signal).catch((error: unknown) => {
      if (!(error instanceof errors.ElasticsearchClientError)) throw error;
      log.debug({ err: error }, 'could not read the registry');
    });
  const keepReconciling = async () => {
    for (;;) {
      await sleep(RECONCILE_EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await reconcile().catch(failed.resolve);
    }
  };
  await reconcile();
  obstacle = undefined;
  const reconciling = keepReconciling();
  const counting = keepCounting({
    client,
    prefix: settings.INDEX_PREFIX,
    metrics,
    log,
    everyMs: options.countEvery ?? COUNT_EVERY_MS,
    signal,
  });

  return {
    adminPort: adminServer.port,
    failed: failed.promise,
    stop: async () => {
      obstacle = 'the service is stopping';
      stopping.abort();
      await Promise.all([reconciling, counting]);
      await supervisor.stop();
      await Promise.allSettled([
        producer.disconnect(),
        admin.disconnect(),
        client.close(),
        adminServer.close(),
      ]);
    },
  };
}

/** Repeats `ensure` until Elasticsearch and Kafka are available. */
async function untilElasticsearchAnswers(
  ensure: () => Promise<unknown>,
  onWait: (error: Error) => void,
): Promise<void> {
  for (;;) {
    try {
      await ensure();
      return;
    } catch (error) {
      onWait(error instanceof Error ? error : new Error(String(error)));
      await sleep(error instanceof UnusableIndexError ? RETRY_INDICES_MS : RETRY_START_MS);
    }
  }
}
