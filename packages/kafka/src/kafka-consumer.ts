import type { Log } from '@vitrine/runtime/log';
import kafkajs, { type EachBatchPayload } from 'kafkajs';
import type { KafkaAdmin } from './admin.ts';
import { assignToReaders } from './assign-to-readers.ts';
import { createKafkaJs } from './client.ts';
import type { KafkaConnection } from './connection.ts';
import { KafkaError, LostOffsetsError } from './errors.ts';
import { offsetAfter } from './format/record-batch.ts';
import { type PartitionBatch, toPartitionBatch } from './partition-batch.ts';
import { commitMetadata } from './topic-id.ts';
import { assertSameTopic, readOffsets } from './topic-offsets.ts';

interface ConsumerOptions {
  kafka: KafkaConnection;
  groupId: string;
  topic: string;
  /** The id of the topic that the group reads. Each commit contains it. */
  topicId: string;
  admin: KafkaAdmin;
  log: Log;
  /** The approximate limit, in bytes, for one partition's data in memory. */
  bytesPerPartition: number;
  /** Whether the group keeps its offsets in Kafka. A group that reads a range once keeps none. */
  keepOffsets?: boolean;
  /** Whether the group also reads records of open and aborted transactions, and records behind open ones. */
  readUncommitted?: boolean;
  handle(batch: PartitionBatch): Promise<void>;
  onAssigned(partitions: number[]): void;
  /**
   * This function is called when the processing of a fetched batch begins. The batch ends before offset
   * `next`.
   */
  onFetched(partition: number, next: string): void;
  /**
   * This function is called when every record before this offset is finished. It is also called for batches
   * without visible records.
   * @param timestamp the last finished record's timestamp, in epoch milliseconds
   */
  onPosition(partition: number, offset: string, timestamp?: number): void;
  /** This function is called at most once, when the consumer cannot continue and the process must end. */
  onFatal(error: Error): void;
}

const FETCHED_PARTITIONS = 8;
const PARTITIONS_AT_ONCE = 4;
const HEARTBEAT_EVERY_MS = 1_000;
/**
 * A consumer notices added partitions within this time. As soon as one member notices them, the whole group
 * rejoins.
 */
const METADATA_MAX_AGE_MS = 20_000;

/**
 * Runs a kafkajs consumer and adds the guards that kafkajs lacks. The consumer reports its own death (kafkajs
 * #1443), sends heartbeats during long batches, and stops instead of resetting an offset that is out of
 * range. The consumer decodes batches lazily (docs/decisions/0030). It commits when the handler calls
 * `commit`, and after a batch without visible records. Before it handles the first batch of an assignment, it
 * checks that the commits from which it continues belong to its topic, and not to an earlier topic with the
 * same name (docs/decisions/0082).
 * @returns a function that leaves the group properly
 */
export async function startConsumer(options: ConsumerOptions): Promise<() => Promise<void>> {
  const { topic, topicId, groupId, admin, log, keepOffsets = true, readUncommitted = false } = options;
  // kafkajs commits the reset offset right after it logs this line. No other hook can prevent this commit.
  const kafka = createKafkaJs(options.kafka, log, ({ log: { message, topic, partition } }) => {
    if (!message.startsWith('Offset out of range')) return;
    const cause = new LostOffsetsError(
      `the next offset of ${topic}, partition ${partition}, is not in the log. Kafka deleted records ` +
        'before this process read them, or the topic was deleted and created again',
    );
    throw Object.assign(new kafkajs.KafkaJSNonRetriableError(cause), { cause });
  });
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: 10_000,
    rebalanceTimeout: 60_000,
    heartbeatInterval: 3_000,
    maxBytesPerPartition: options.bytesPerPartition,
    maxBytes: FETCHED_PARTITIONS * options.bytesPerPartition,
    maxWaitTimeInMs: 500,
    allowAutoTopicCreation: false,
    readUncommitted,
    partitionAssigners: [assignToReaders],
    metadataMaxAge: METADATA_MAX_AGE_MS,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
  });
  let assignment = new AbortController();
  let joins = 0;
  let stopping = false;
  const fatal = (error: Error) => {
    if (stopping) return;
    stopping = true;
    assignment.abort();
    options.onFatal(error);
  };
  let ownCommits: Promise<void> | undefined;
  const assertOwnCommits = async () => {
    ownCommits ??= readOffsets(admin, groupId, topic).then((offsets) =>
      assertSameTopic(topic, topicId, offsets),
    );
    const checking = ownCommits;
    try {
      await checking;
    } catch (error) {
      if (ownCommits === checking) ownCommits = undefined;
      throw error;
    }
  };
  /**
   * Finds the true cause, because Kafka refuses a fetch with the same error if the topic was created again.
   */
  const explain = async (error: Error): Promise<Error> => {
    if (!(error instanceof LostOffsetsError)) return error;
    ownCommits = undefined;
    return assertOwnCommits().then(
      () => error,
      (cause) => (cause instanceof LostOffsetsError ? cause : error),
    );
  };
  const newAssignment = () => {
    assignment.abort();
    assignment = new AbortController();
    ownCommits = undefined;
  };
  /** The partitions whose batch the handler has received. The handler commits their offsets. */
  const handed = new Set<number>();

  consumer.on('consumer.rebalancing', newAssignment);
  consumer.on('consumer.group_join', ({ payload }) => {
    joins++;
    newAssignment();
    const partitions = payload.memberAssignment[topic] ?? [];
    log.info({ groupId, partitions }, 'partitions assigned');
    options.onAssigned(partitions);
  });
  consumer.on('consumer.received_unsubscribed_topics', ({ payload }) =>
    fatal(
      new Error(
        `the consumer group ${groupId} also reads ${payload.topicsNotSubscribed.join(', ')}, so some events of ` +
          `${topic} would have no reader. Set CONSUMER_GROUP, or INGEST_GROUP of an ingest, to a name that no other deployment uses`,
      ),
    ),
  );
  consumer.on('consumer.start_batch_process', ({ payload }) =>
    options.onFetched(payload.partition, offsetAfter(payload.lastOffset)),
  );
  consumer.on('consumer.end_batch_process', async ({ payload: { partition, lastOffset } }) => {
    if (handed.delete(partition)) return;
    // The batch contained only control records and aborted transactions, so the handler never commits its
    // end.
    const offset = offsetAfter(lastOffset);
    options.onPosition(partition, offset);
    if (!keepOffsets) return;
    await assertOwnCommits()
      .then(() => consumer.commitOffsets([{ topic, partition, offset, metadata: commitMetadata(topicId) }]))
      .catch((error: unknown) =>
        log.debug({ err: error, partition }, 'could not commit the offset after control records'),
      );
  });
  consumer.on('consumer.crash', ({ payload }) => {
    if (payload.restart) log.warn({ err: payload.error }, 'the consumer crashed and is restarting');
    else void explain(rootOf(payload.error)).then(fatal);
  });

  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: async (payload) => {
        handed.add(payload.batch.partition);
        if (stopping) return;
        const joined = joins;
        const isAssigned = () => joins === joined;
        try {
          await withHeartbeats(payload, assignment, log, async (signal) => {
            await assertOwnCommits();
            const { onPosition } = options;
            await options.handle(
              toPartitionBatch(payload, { topicId, signal, isAssigned, keepOffsets, onPosition }),
            );
          });
        } catch (error) {
          handed.delete(payload.batch.partition);
          // kafkajs handles its own errors (rejoin, retry), but would retry all other errors forever.
          const cause = error instanceof KafkaError ? error.cause : error;
          if (cause instanceof kafkajs.KafkaJSError) throw cause;
          fatal(error as Error);
          throw new kafkajs.KafkaJSNonRetriableError(error as Error);
        }
      },
    });
  } catch (error) {
    stopping = true;
    await consumer.disconnect().catch(() => undefined);
    throw error;
  }
  return async () => {
    stopping = true;
    assignment.abort();
    await consumer.disconnect();
  };
}

/** The error types after which the group continues without this member until it joins again. */
const GROUP_MOVED_ON = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'NOT_COORDINATOR_FOR_GROUP',
  'UNKNOWN_MEMBER_ID',
]);

/**
 * Sends heartbeats while `work` runs. If Kafka rejects a heartbeat, the group has rebalanced, so the function
 * aborts the assignment. The function only logs any other heartbeat error.
 */
async function withHeartbeats(
  payload: EachBatchPayload,
  assignment: AbortController,
  log: Log,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let refused: unknown;
  if (assignment.signal.aborted) throw new kafkajs.KafkaJSError('the group is rebalancing');
  const timer = setInterval(() => {
    payload.heartbeat().catch((error: Error & { type?: string }) => {
      if (!GROUP_MOVED_ON.has(error.type ?? '')) return log.debug({ err: error }, 'a heartbeat failed');
      refused = error;
      assignment.abort();
    });
  }, HEARTBEAT_EVERY_MS);
  try {
    await work(assignment.signal);
  } finally {
    clearInterval(timer);
  }
  if (refused) throw refused;
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}
