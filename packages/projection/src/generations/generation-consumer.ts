import type { Client } from '@elastic/elasticsearch';
import { type Generation, type GenerationRecord, generationNames } from '@vitrine/feed-index';
import {
  assertOffsetsInLog,
  assertSameTopic,
  type KafkaAdmin,
  kafkaConnection,
  readOffsets,
  readTopicId,
  startConsumer,
  watchedOffsets,
} from '@vitrine/kafka';
import type { Rules } from '@vitrine/listing';
import { versionBound } from '@vitrine/listing-events';
import type { Log } from '@vitrine/runtime/log';
import { CpuTurns } from '../cpu-turns.ts';
import type { DeadLetterSink } from '../dead-letters/dead-letter-sink.ts';
import { consumeBatch, type ListingConsumer } from '../listing-consumer.ts';
import type { ProjectorMetrics } from '../metrics.ts';
import { ChangeVisibility } from '../progress/change-visibility.ts';
import { ConsumerHealth } from '../progress/consumer-health.ts';
import { LagGauges } from '../progress/lag-gauges.ts';
import { Pauses } from '../progress/pauses.ts';
import type { StallLimits } from '../progress/stall-watch.ts';
import { Projection } from '../projection.ts';
import type { ProjectorSettings } from '../settings.ts';
import { readCheckpoint } from '../store/index-requests.ts';
import { documentRules } from './generation-versions.ts';
import { LiveMarks } from './live-mark.ts';

/** The context shared by all generations that a process projects. */
export interface ProjectorContext {
  settings: ProjectorSettings;
  log: Log;
  client: Client;
  admin: KafkaAdmin;
  metrics: ProjectorMetrics;
  deadLetters: DeadLetterSink;
  rules: Rules;
  stallLimits: StallLimits;
  /** The interval between polls of the log's offsets, in milliseconds. */
  observeEvery: number;
}

export interface GenerationConsumerOptions {
  /** Whether the consumer writes only states, without items. */
  statesOnly?: boolean;
  admit?: ListingConsumer['admit'];
  /** Whether a new or different item counts as a change for readers. By default, it always does. */
  notesChanges?: () => boolean;
  /**
   * Whether the consumer uses larger fetches. Use this option only in a short-lived process that does nothing
   * else.
   */
  bulkLoad?: boolean;
  /** This process's name in the list of the group's members. */
  clientId?: string;
  /** This function is called when the consumer has joined the group, before it reads. */
  onJoined?: () => void;
}

const MEGABYTE = 1024 * 1024;
/**
 * This size holds about two thousand records of typical size, which form one chunk. Each additional megabyte
 * of fetch size costs about 45 MB of memory.
 */
const LIVE_FETCH_BYTES = 1.5 * MEGABYTE;

/**
 * The consumer for one generation. It applies the topic's records to states and items until `stop` is called.
 */
export interface GenerationConsumer {
  generation: Generation;
  /** Resolves only if the consumer cannot continue. */
  failed: Promise<Error>;
  /** The reasons why the consumer is not ready. The list is empty if it is ready. */
  reasons(): string[];
  /** Finishes or abandons the work in progress, and leaves the group. */
  stop(): Promise<void>;
}

/** Returns the name of a generation's consumer group. */
export const groupOf = (consumerGroup: string, generation: number): string =>
  `${consumerGroup}-${generation}`;

/**
 * Starts the consumer of a generation.
 * @throws LostOffsetsError if the topic no longer holds the next records for the generation's group, or is
 * not the topic that the generation reads; KafkaError
 */
export async function startGenerationConsumer(
  context: ProjectorContext,
  { number, versions, topic_id }: Pick<GenerationRecord, 'number' | 'versions' | 'topic_id'>,
  options: GenerationConsumerOptions = {},
): Promise<GenerationConsumer> {
  const { settings, log, client, admin, metrics, rules } = context;
  const { LISTING_EVENTS_TOPIC: topic, INDEX_PREFIX: prefix } = settings;
  const generation = generationNames(prefix, number);
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
  const offsets = await readOffsets(admin, groupId, topic);
  assertSameTopic(topic, topic_id, offsets);
  assertOffsetsInLog(groupId, topic, offsets);
  const topicId = topic_id ?? offsets[0]?.topicId ?? (await readTopicId(admin, topic));

  const ofGeneration = { generation: String(number) };
  const pauses = new Pauses();
  const health = new ConsumerHealth({
    topic,
    pauses,
    stallLimits: context.stallLimits,
    gauges: new LagGauges(metrics, ofGeneration),
    log,
    readLogs: watchedOffsets(admin, groupId, topic, topicId),
  });
  const { positions } = health;
  const failed = Promise.withResolvers<Error>();
  let joined = false;
  const cpuTurns = new CpuTurns();
  const liveMarks = new LiveMarks(client, prefix, number);
  const projection = new Projection({
    client,
    cpuTurns,
    generation,
    rules: documentRules(versions, rules),
    statesOnly: options.statesOnly ?? false,
    changesMapping: versions.changes,
    notesChanges: options.notesChanges,
    liveMark: (signal) => liveMarks.current(signal),
    onEntry: (index, outcome) => metrics.bulkEntries.inc({ index, outcome }),
  });
  const visibility =
    versions.changes === undefined
      ? undefined
      : new ChangeVisibility({
          readCheckpoint: async (signal) =>
            (await readCheckpoint(client, generation.changes, signal)).checkpoint,
          onVisible: (seconds) => metrics.changeVisible.observe(ofGeneration, seconds),
        });
  const consumer: ListingConsumer = {
    generation: number,
    groupId,
    projection,
    cpuTurns,
    versionBound: versionBound(settings.MAX_VERSION),
    pauses,
    metrics,
    visibility,
    log,
    sendDeadLetters: (deadLetters) => context.deadLetters.send(deadLetters),
    onProgress: () => health.recordProgress(),
    onReading: (partition, timestamp) => positions.reading(partition, timestamp),
    ...(options.admit && { admit: options.admit }),
  };
  const leaveGroup = await startConsumer({
    kafka: {
      ...kafkaConnection(settings),
      ...(options.clientId !== undefined && { clientId: options.clientId }),
    },
    groupId,
    topic,
    topicId,
    admin,
    log,
    bytesPerPartition: options.bulkLoad ? 8 * MEGABYTE : LIVE_FETCH_BYTES,
    handle: (batch) => consumeBatch(consumer, batch),
    onAssigned: (partitions) => {
      joined = true;
      options.onJoined?.();
      projection.forget();
      positions.assign(partitions);
    },
    onFetched: (partition, next) => positions.fetched(partition, BigInt(next)),
    onPosition: (partition, offset, timestamp) => {
      positions.finished(partition, BigInt(offset), timestamp);
      health.recordProgress();
    },
    onFatal: failed.resolve,
  });
  log.info({ generation: number, groupId, topic, items: generation.items }, 'projecting');

  health.start(context.observeEvery, failed.resolve);

  return {
    generation,
    failed: failed.promise,
    reasons: () => [...(joined ? [] : ['joining the consumer group']), ...health.reasons()],
    stop: async () => {
      health.stop();
      await leaveGroup();
      visibility?.stop();
      health.clear();
      metrics.freshness.remove(ofGeneration);
      metrics.changeVisible.remove(ofGeneration);
    },
  };
}
