import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';
import { createElasticsearch, createKafka, deadLetterTopic, type Log, type Readiness, type RunningService, startAdminServer } from '@vitrine/runtime';
import type { Admin } from 'kafkajs';
import { sendDeadLetters } from './dead-letter.ts';
import { ensureLiveGeneration, MappingMismatchError } from './generation-setup.ts';
import { LostOffsetsError, startConsumer } from './kafka-consumer.ts';
import { consumeBatch } from './listing-consumer.ts';
import { createMetrics } from './metrics.ts';
import { Pauses } from './pauses.ts';
import { Projection } from './projection.ts';
import type { ProjectorSettings } from './settings.ts';
import { type StallLimits, StallWatch } from './stall-watch.ts';
import { assertHeld, readOffsets, startAtEnd } from './topic-offsets.ts';
import { ensureTopics } from './topics.ts';

/** There is lag, nothing is paused, and nothing moves: only a new process helps. */
class StalledError extends Error {
  override readonly name = 'StalledError';
}

export interface ProjectorOptions {
  stallLimits?: StallLimits;
  /** Milliseconds between two looks at the log. */
  observeEvery?: number;
}

const STALL_LIMITS: StallLimits = { unreadyAfter: 60_000, endAfter: 180_000 };
const OBSERVE_EVERY_MS = 5_000;
const RETRY_START_MS = 1_000;
/** Shorter than a fence holds, so that a slow answer alone never makes a pass void. */
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * The composition root of the write side: topics and indices, then the consumer of the live
 * generation, with health and metrics beside it. Waits for Elasticsearch as long as it takes.
 * @throws when Kafka cannot be reached, a topic is missing, offsets are lost, or a port is taken.
 */
export async function startProjector(
  settings: ProjectorSettings,
  log: Log,
  options: ProjectorOptions = {},
): Promise<RunningService & { adminPort: number }> {
  const { LISTING_EVENTS_TOPIC: topic, INDEX_PREFIX: prefix } = settings;
  const metrics = createMetrics();
  const pauses = new Pauses();
  const watch = new StallWatch(options.stallLimits ?? STALL_LIMITS);
  const failed = Promise.withResolvers<Error>();
  let starting: string | undefined = 'starting';
  const readiness = (): Readiness => {
    const now = Date.now();
    const stalled = watch.partitions().filter((partition) => watch.verdict(partition, now) !== 'moving');
    const reasons = [...(starting ? [starting] : []), ...pauses.reasons(), ...stalled.map((partition) => `partition ${partition} does not move`)];
    return { ready: reasons.length === 0, reasons };
  };

  const admin = await startAdminServer(settings.ADMIN_PORT, metrics.registry, readiness);
  const client = createElasticsearch({ url: settings.ELASTICSEARCH_URL, requestTimeout: REQUEST_TIMEOUT_MS, maxRetries: 0 });
  const kafka = createKafka(settings.KAFKA_BROKERS, log);
  const kafkaAdmin = kafka.admin();
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await kafkaAdmin.connect();
  await ensureTopics(kafkaAdmin, topic, deadLetterTopic(settings));
  const generation = await untilElasticsearchAnswers(client, prefix, log);
  starting = 'joining the consumer group';
  const groupId = `${settings.CONSUMER_GROUP}-${generation.number}`;
  const offsets = await readOffsets(kafkaAdmin, groupId, topic);
  assertHeld(groupId, topic, offsets);
  if (settings.START_OFFSET === 'latest') await startAtEnd(kafkaAdmin, groupId, topic, offsets);
  await producer.connect();

  const projection = new Projection(client, generation);
  const context = {
    projection,
    pauses,
    metrics,
    log,
    sendDeadLetters: (letters: Parameters<typeof sendDeadLetters>[2]) => sendDeadLetters(producer, deadLetterTopic(settings), letters),
    onProgress: (partition: number) => watch.moved(partition, Date.now()),
  };
  const leaveGroup = await startConsumer({
    brokers: settings.KAFKA_BROKERS,
    groupId,
    topic,
    log,
    handle: (batch) => consumeBatch(context, batch),
    onAssigned: (partitions) => {
      starting = undefined;
      projection.forget();
      watch.assign(partitions, Date.now());
    },
    onFetched: (partition, next) => watch.fetched(partition, BigInt(next)),
    onPosition: (partition, offset) => watch.moved(partition, Date.now(), BigInt(offset)),
    onFatal: failed.resolve,
  });
  log.info({ generation: generation.number, groupId, topic, items: generation.items }, 'projecting');

  const observer = setInterval(() => {
    observe(kafkaAdmin, groupId, topic, watch, pauses, metrics).then(
      (error) => error && failed.resolve(error),
      (error: unknown) => log.warn({ err: error }, 'the log could not be looked at'),
    );
  }, options.observeEvery ?? OBSERVE_EVERY_MS);

  return {
    adminPort: admin.port,
    failed: failed.promise,
    stop: async () => {
      clearInterval(observer);
      await leaveGroup();
      await Promise.allSettled([producer.disconnect(), kafkaAdmin.disconnect(), client.close(), admin.close()]);
    },
  };
}

/** Creates what is missing in the index; Elasticsearch may come later than we do. */
async function untilElasticsearchAnswers(client: Client, prefix: string, log: Log): Promise<Generation> {
  for (;;) {
    try {
      return await ensureLiveGeneration(client, prefix);
    } catch (error) {
      if (error instanceof MappingMismatchError) throw error;
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'waiting for Elasticsearch');
      await sleep(RETRY_START_MS);
    }
  }
}

/** One look at the log: lag for the metrics; the error with which the process must end, if it must. */
async function observe(
  admin: Admin,
  groupId: string,
  topic: string,
  watch: StallWatch,
  pauses: Pauses,
  metrics: ReturnType<typeof createMetrics>,
): Promise<Error | undefined> {
  const offsets = await readOffsets(admin, groupId, topic);
  const now = Date.now();
  watch.look(now);
  metrics.lag.reset();
  for (const { partition, ...log } of offsets) watch.observe(partition, now, log, pauses.any());
  for (const partition of watch.partitions()) {
    metrics.lag.set({ partition: String(partition) }, Number(watch.lag(partition)));
    const verdict = watch.verdict(partition, now);
    if (verdict === 'lost')
      return new LostOffsetsError(`partition ${partition} of ${topic}: records were deleted before they were read, or the topic was made anew`);
    if (verdict === 'dead')
      return new StalledError(`partition ${partition} of ${topic} has ${watch.lag(partition)} records of lag and does not move`);
  }
  return undefined;
}
