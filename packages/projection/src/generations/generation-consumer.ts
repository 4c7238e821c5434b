import type { Client } from '@elastic/elasticsearch';
import { type Generation, type GenerationRecord, generationNames } from '@vitrine/feed-index';
import {
  assertOffsetsInLog,
  assertSameTopic,
  type KafkaAdmin,
  kafkaConnection,
  LostOffsetsError,
  readOffsets,
  readTopicId,
  startConsumer,
  watchedOffsets,
} from '@vitrine/kafka';
import type { Rules } from '@vitrine/listing';
import type { Log } from '@vitrine/runtime/log';
import { CpuTurns } from '../cpu-turns.ts';
import type { DeadLetterSink } from '../dead-letters/dead-letter-sink.ts';
import { consumeBatch, type ListingConsumer } from '../listing-consumer.ts';
import type { ProjectorMetrics } from '../metrics.ts';
import { ChangeVisibility } from '../progress/change-visibility.ts';
import { OpenTransactions } from '../progress/open-transactions.ts';
import { PartitionPositions } from '../progress/partition-positions.ts';
import { Pauses } from '../progress/pauses.ts';
import { type StallLimits, StallWatch } from '../progress/stall-watch.ts';
import { Projection } from '../projection.ts';
import type { ProjectorSettings } from '../settings.ts';
import { readCheckpoint } from '../store/shard-checkpoint.ts';
import { documentRules } from './generation-versions.ts';
import { LagGauges } from './lag-gauges.ts';
import { LiveMarks } from './live-mark.ts';

/**
 * The consumer has lag and is not paused, but makes no progress. Only a restart of the process can recover
 * it.
 */
class StalledError extends Error {
  override readonly name = 'StalledError';
}

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
  /** Interval between polls of the log's offsets, in milliseconds. */
  observeEvery: number;
}

export interface GenerationConsumerOptions {
  /** Writes states only, without items. */
  statesOnly?: boolean;
  admit?: ListingConsumer['admit'];
  /**
   * Uses larger fetches. Use this option only in a short-lived process that does nothing else.
   */
  bulkLoad?: boolean;
  /** Name of this process in the list of the group's members. */
  clientId?: string;
  /** Called when the consumer has joined the group, before it reads. */
  onJoined?: () => void;
}

const MEGABYTE = 1024 * 1024;
/**
 * About two thousand records of the usual size, which form one chunk. Each additional megabyte of fetch size
 * costs about 45 MB of memory.
 */
const LIVE_FETCH_BYTES = 1.5 * MEGABYTE;

/**
 * The consumer of one generation. The consumer applies the topic to states and items until `stop` is called.
 */
export interface GenerationConsumer {
  generation: Generation;
  /** Resolves only if the consumer cannot continue. */
  failed: Promise<Error>;
  /** The reasons why the consumer is not ready. Empty if it is ready. */
  reasons(): string[];
  /** Finishes or abandons the work in progress, and leaves the group. */
  stop(): Promise<void>;
}

/** The consumer group of a generation. */
export const groupOf = (consumerGroup: string, generation: number): string =>
  `${consumerGroup}-${generation}`;

/**
 * Starts the consumer of a generation.
 * @throws LostOffsetsError if the topic no longer holds the next records of the generation's group, or is not
 * the one that the generation reads; KafkaError
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
  const readLogs = watchedOffsets(admin, groupId, topic, topicId);

  const pauses = new Pauses();
  const positions = new PartitionPositions();
  const transactions = new OpenTransactions(context.stallLimits.unreadyAfter);
  const watch = new StallWatch(context.stallLimits);
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
    hasChanges: versions.changes !== undefined,
    liveMark: (signal) => liveMarks.current(signal),
    onEntry: (index, outcome) => metrics.bulkEntries.inc({ index, outcome }),
  });
  const visibility =
    versions.changes === undefined
      ? undefined
      : new ChangeVisibility({
          readCheckpoint: async (signal) =>
            (await readCheckpoint(client, generation.changes, signal)).checkpoint,
          onVisible: (seconds) => metrics.changeVisible.observe({ generation: String(number) }, seconds),
        });
  const consumer: ListingConsumer = {
    generation: number,
    groupId,
    projection,
    cpuTurns,
    pauses,
    metrics,
    visibility,
    log,
    sendDeadLetters: (deadLetters) => context.deadLetters.send(deadLetters),
    onProgress: () => watch.recordProgress(Date.now()),
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
      watch.recordProgress(Date.now());
    },
    onFatal: failed.resolve,
  });
  log.info({ generation: number, groupId, topic, items: generation.items }, 'projecting');

  const gauges = new LagGauges(metrics, number);
  const showLag = (now: number) =>
    gauges.show(
      positions.partitions().map((partition) => ({
        partition,
        records: positions.lag(partition),
        seconds: positions.lagSeconds(partition, now),
      })),
      pauses.count,
      transactions.all().map(({ partition, records, since }) => ({
        partition,
        records,
        seconds: Math.ceil((now - since) / 1_000),
      })),
    );

  /**
   * Reads the log's offsets once and updates the lag metrics.
   * @returns the error that must end the consumer, if any
   */
  const observe = async (): Promise<Error | undefined> => {
    const logs = await readLogs();
    const now = Date.now();
    for (const { partition, ...log } of logs) positions.observe(partition, now, log);
    const lost = positions.lost();
    if (lost !== undefined) {
      // The id may have changed between the read of the id and the read of the log.
      await readLogs();
      return new LostOffsetsError(
        `Kafka deleted records of ${topic}, partition ${lost}, before the projector read them, or the ` +
          'topic was deleted and created again',
      );
    }
    // A consumer that waits for an open transaction is not stalled: a restart would not help it.
    watch.observe(now, { hasLag: positions.hasReadableLag(), isPaused: pauses.any() });
    if (watch.liveness(now) === 'dead')
      return new StalledError(`${describeLag(positions, topic)}, and the consumer makes no progress`);
    reportTransactions(log, topic, transactions.observe(now, positions.heldBack()));
    showLag(now);
    return undefined;
  };
  let isObserving = false;
  const observer = setInterval(() => {
    // Only one poll runs at a time. If Kafka is slow, further polls would only accumulate.
    if (isObserving) return;
    isObserving = true;
    observe()
      .then(
        (error) => error && failed.resolve(error),
        (error: unknown) => {
          if (error instanceof LostOffsetsError) failed.resolve(error);
          else log.warn({ err: error }, 'could not read the offsets of the topic');
        },
      )
      .finally(() => {
        isObserving = false;
      });
  }, context.observeEvery);

  return {
    generation,
    failed: failed.promise,
    reasons: () => [
      ...(joined ? [] : ['joining the consumer group']),
      ...pauses.reasons(),
      ...(watch.liveness(Date.now()) === 'moving'
        ? []
        : [`${describeLag(positions, topic)}, and the consumer makes no progress`]),
    ],
    stop: async () => {
      clearInterval(observer);
      await leaveGroup();
      visibility?.stop();
      gauges.clear();
    },
  };
}

/** A clause that names the partitions with lag. */
function describeLag(positions: PartitionPositions, topic: string): string {
  const behind = positions.withReadableLag();
  const records = behind.reduce((sum, partition) => sum + positions.lag(partition), 0n);
  const named =
    behind.length > 10
      ? `${behind.slice(0, 10).join(', ')} and ${behind.length - 10} more`
      : behind.join(', ');
  return `${topic} has ${records} records of lag in partition ${named}`;
}

/** Logs open transactions that have lasted for too long, and their end. */
function reportTransactions(
  log: Log,
  topic: string,
  { long, ended }: ReturnType<OpenTransactions['observe']>,
): void {
  for (const { partition, offset, records, since } of long)
    log.warn(
      {
        topic,
        partition,
        offset: String(offset),
        records: Number(records),
        since: new Date(since).toISOString(),
      },
      "an open transaction holds back the partition's records. If its producer is gone, abort it with " +
        'kafka-transactions.sh: see OpenTransaction in the runbook',
    );
  for (const { partition, offset } of ended)
    log.info({ topic, partition, offset: String(offset) }, 'the open transaction has ended');
}
