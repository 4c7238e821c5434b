import { setTimeout as sleep } from 'node:timers/promises';
import { createKafka, KafkaError, kafkaConnection, MissingTopicError } from '@vitrine/kafka';
import { versionBound } from '@vitrine/listing-events';
import { DeadLetterSink, sendDeadLetters } from '@vitrine/projection/dead-letters';
import {
  OBSERVE_EVERY_MS,
  STALL_LIMITS,
  type StallLimits,
  whileKafkaIsAway,
} from '@vitrine/projection/progress';
import { ensureTopics, missingDeadLetterRoom } from '@vitrine/projection/topics';
import type { Log } from '@vitrine/runtime/log';
import { type Readiness, type RunningService, startAdminServer } from '@vitrine/runtime/service';
import { createDecoder } from './formats/create-decoder.ts';
import type { Mapping } from './mapping.ts';
import { createMetrics } from './metrics.ts';
import { type IngestSettings, ingestDeadLetterTopic } from './settings.ts';
import { groupOf, startTopicConsumer, type TopicConsumer } from './topic-consumer.ts';

export interface IngestOptions {
  stallLimits?: StallLimits;
  /** Milliseconds between two readings of the log's offsets. */
  observeEvery?: number;
  /** Milliseconds between two checks for a source topic that does not exist yet. */
  lookEvery?: number;
}

const LOOK_EVERY_MS = 5_000;

/**
 * The composition root of the ingest: topics, one consumer for each source topic, health and metrics. A
 * source topic that does not exist yet delays only its own consumer, because Debezium creates a topic only
 * with the first row of the table. Waits for Kafka without a time limit.
 * @throws Error if Kafka refuses the client, the events topic or a setting is missing, offsets are lost, or
 * the port is in use
 */
export async function startIngest(
  settings: IngestSettings,
  mapping: Mapping,
  log: Log,
  options: IngestOptions = {},
): Promise<RunningService & { adminPort: number }> {
  const { LISTING_EVENTS_TOPIC: eventsTopic } = settings;
  const deadLetterTopic = ingestDeadLetterTopic(settings);
  assertDifferent(mapping, eventsTopic, deadLetterTopic);
  const metrics = createMetrics(mapping.topics);
  const failed = Promise.withResolvers<Error>();
  const consumers: TopicConsumer[] = [];
  /** The reasons why a topic has no consumer, and why the service is not running. */
  const obstacles = new Map(
    ['', ...mapping.topics].map((topic) => [topic, `${topic || 'the service'} is starting`]),
  );
  const readiness = (): Readiness => {
    const reasons = [...obstacles.values(), ...consumers.flatMap((consumer) => consumer.reasons())];
    return { ready: reasons.length === 0, reasons };
  };
  metrics.watchReady(() => readiness().ready);
  const decoder = createDecoder(mapping.format, settings);
  const adminServer = await startAdminServer(settings.ADMIN_PORT, metrics.registry, readiness);
  const connection = kafkaConnection(settings);
  const kafka = createKafka(connection, log);
  const admin = kafka.admin();
  // If the topics shared a kafkajs producer, a deleted dead-letter topic would stop the writes of events.
  const [producer, deadLetterProducer] = [kafka.producer({ retries: 2 }), kafka.producer({ retries: 2 })];
  const stopping = new AbortController();
  await whileKafkaIsAway(
    async () => {
      await admin.connect();
      await ensureTopics(admin, eventsTopic, deadLetterTopic, mapping.topics);
      await Promise.all([producer.connect(), deadLetterProducer.connect()]);
    },
    stopping.signal,
    (error) => {
      const reason = `waiting for Kafka: ${(error as Error).message}`;
      obstacles.set('', reason);
      log.warn({ reason }, 'waiting for Kafka');
    },
  );

  const shared = {
    mapping,
    decoder,
    eventsTopic,
    producer,
    deadLetters: new DeadLetterSink((batch) => sendDeadLetters(deadLetterProducer, deadLetterTopic, batch)),
    versionBound: versionBound(settings.MAX_VERSION),
    metrics,
    log,
    kafka: connection,
    admin,
    stallLimits: options.stallLimits ?? STALL_LIMITS,
    observeEvery: options.observeEvery ?? OBSERVE_EVERY_MS,
  };
  /** The comparison needs the permission `DescribeConfigs`. The ingest also works without it. */
  const warnOfRoom = async (topic: string): Promise<void> => {
    const needed = await missingDeadLetterRoom(admin, deadLetterTopic, topic).catch((error: unknown) => {
      if (!(error instanceof KafkaError)) throw error;
      log.debug({ err: error, topic }, 'could not compare the topic with the dead-letter topic');
    });
    if (needed !== undefined)
      log.warn(
        { topic, deadLetterTopic },
        'an invalid record of this topic may be too large for the dead-letter topic, which would end the ' +
          `ingest. Set max.message.bytes of ${deadLetterTopic} to at least ${needed}`,
      );
  };
  /** Starts the consumer of a topic as soon as the topic exists. */
  const start = async (topic: string): Promise<void> => {
    const groupId = groupOf(settings.INGEST_GROUP, topic);
    while (!stopping.signal.aborted)
      try {
        const consumer = await startTopicConsumer({ ...shared, topic, groupId, signal: stopping.signal });
        consumers.push(consumer);
        obstacles.delete(topic);
        void consumer.failed.then(failed.resolve);
        await warnOfRoom(topic);
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!(error instanceof MissingTopicError)) throw error;
        const reason = `the source topic ${topic} does not exist yet`;
        if (obstacles.get(topic) !== reason) log.warn({ topic }, reason);
        obstacles.set(topic, reason);
        await sleep(options.lookEvery ?? LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
      }
  };
  const starting = mapping.topics.map((topic) => start(topic).catch(failed.resolve));
  obstacles.delete('');

  return {
    adminPort: adminServer.port,
    failed: failed.promise,
    stop: async () => {
      obstacles.set('', 'the service is stopping');
      stopping.abort();
      await Promise.all(starting);
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await Promise.allSettled([
        producer.disconnect(),
        deadLetterProducer.disconnect(),
        admin.disconnect(),
        decoder.close?.(),
        adminServer.close(),
      ]);
    },
  };
}

/** An ingest that reads its own events would publish them again and again. @throws Error */
function assertDifferent({ topics }: Mapping, ...own: string[]): void {
  const read = own.filter((topic) => topics.includes(topic));
  if (read.length > 0)
    throw new Error(`the mapping reads ${read.join(' and ')}, to which the ingest itself writes`);
}
