import {
  assertOffsetsInLog,
  assertSameTopic,
  type KafkaAdmin,
  type KafkaConnection,
  LostOffsetsError,
  readOffsets,
  readTopicId,
  startConsumer,
  startGroupAt,
  watchedOffsets,
} from '@vitrine/kafka';
import { ConsumerHealth, LagGauges, Pauses, type StallLimits } from '@vitrine/projection/progress';
import { consumeBatch, type TopicIngest } from './consume-batch.ts';
import { startPositions } from './start-positions.ts';

interface TopicConsumerOptions extends Omit<TopicIngest, 'pauses' | 'onProgress' | 'onReading'> {
  kafka: KafkaConnection;
  admin: KafkaAdmin;
  groupId: string;
  topic: string;
  stallLimits: StallLimits;
  /** The interval between polls of the log's offsets, in milliseconds. */
  observeEvery: number;
  /** Ends a start that is in progress. */
  signal: AbortSignal;
}

export interface TopicConsumer {
  /** Resolves only if the consumer cannot continue. */
  failed: Promise<Error>;
  /** The reasons why the consumer is not ready. The list is empty if it is ready. */
  reasons(): string[];
  /** Finishes or abandons the work in progress, and leaves the group. */
  stop(): Promise<void>;
}

const BYTES_PER_PARTITION = 1024 * 1024;

/** The group of a source topic. */
export const groupOf = (ingestGroup: string, topic: string): string => `${ingestGroup}-${topic}`;

/**
 * Starts the consumer of a source topic. A new group begins with the oldest record.
 * @throws Error with advice if the topic no longer holds the group's next records, or was created again;
 * MissingTopicError; KafkaError; the signal's reason
 */
export async function startTopicConsumer(options: TopicConsumerOptions): Promise<TopicConsumer> {
  const { kafka, admin, groupId, topic, log, metrics, signal } = options;
  try {
    const offsets = await readOffsets(admin, groupId, topic);
    assertSameTopic(topic, undefined, offsets);
    assertOffsetsInLog(groupId, topic, offsets);
    const topicId = offsets[0]?.topicId ?? (await readTopicId(admin, topic));
    const start = startPositions(groupId, topic, offsets);
    if (start) await startGroupAt({ kafka, admin, log, groupId, topic, topicId, positions: start, signal });
    if (start && offsets.some(({ low }) => low > 0n))
      log.warn(
        { groupId, topic },
        'Kafka has deleted records of this topic, and the group has no commits. If the group has started ' +
          'before, Kafka has also deleted its commits (offsets.retention.minutes): run reconcile',
      );
    const pauses = new Pauses();
    const health = new ConsumerHealth({
      topic,
      pauses,
      stallLimits: options.stallLimits,
      gauges: new LagGauges(metrics, { topic }),
      log,
      readLogs: watchedOffsets(admin, groupId, topic, topicId),
    });
    const { positions } = health;
    const failed = Promise.withResolvers<Error>();
    const onFatal = (error: Error) => failed.resolve(withAdvice(error, groupId));
    let joined = false;
    const ingest: TopicIngest = {
      ...options,
      pauses,
      onProgress: () => health.recordProgress(),
      onReading: (partition, timestamp) => positions.reading(partition, timestamp),
    };
    const leaveGroup = await startConsumer({
      kafka,
      groupId,
      topic,
      topicId,
      admin,
      log,
      bytesPerPartition: BYTES_PER_PARTITION,
      handle: (batch) => consumeBatch(ingest, batch),
      onAssigned: (partitions) => {
        joined = true;
        positions.assign(partitions);
      },
      onFetched: (partition, next) => positions.fetched(partition, BigInt(next)),
      onPosition: (partition, offset, timestamp) => {
        positions.finished(partition, BigInt(offset), timestamp);
        health.recordProgress();
      },
      onFatal,
    });
    log.info({ groupId, topic }, 'ingesting');
    health.start(options.observeEvery, onFatal);
    return {
      failed: failed.promise,
      reasons: () => [
        ...(joined ? [] : [`${topic}: joining the consumer group`]),
        ...health.reasons().map((reason) => `${topic}: ${reason}`),
      ],
      stop: async () => {
        health.stop();
        await leaveGroup();
        health.clear();
      },
    };
  } catch (error) {
    throw withAdvice(error as Error, groupId);
  }
}

/** Explains what to do about lost offsets. The advice differs from that for a projector. */
function withAdvice(error: Error, groupId: string): Error {
  if (!(error instanceof LostOffsetsError)) return error;
  return new Error(
    `${error.facts}. A silent reset would hide missing records, and versions from ` +
      "offsets would start again below those in the feed. Raise the mapping's version epoch if its " +
      'versions can fall. Then ' +
      'start the ingest again: it reads a new topic from its oldest record. If this message returns, set the offsets ' +
      `of group ${groupId} to the earliest with kafka-consumer-groups.sh, only in the partitions that the message ` +
      'names. Finally, run reconcile. See IngestRestarts in the runbook',
    { cause: error },
  );
}
