import { createKafka, type KafkaConnection, type Log } from '@vitrine/runtime';
import kafkajs, { type EachBatchPayload } from 'kafkajs';
import { runLazily } from './fetch-response.ts';
import { offsetAfter } from './format/source-record.ts';
import { type PartitionBatch, toPartitionBatch } from './partition-batch.ts';

/**
 * A committed or reached offset is no longer in the log: records were deleted unread. The consumer never
 * resets the offset silently.
 */
export class LostOffsetsError extends kafkajs.KafkaJSNonRetriableError {
  override readonly name = 'LostOffsetsError';
}

export interface ConsumerOptions {
  kafka: KafkaConnection;
  groupId: string;
  topic: string;
  log: Log;
  /** Approximate number of bytes of one partition that are in memory at once. */
  bytesPerPartition: number;
  handle(batch: PartitionBatch): Promise<void>;
  onAssigned(partitions: number[]): void;
  /** Called when a batch that ends before offset `next` was fetched. */
  onFetched(partition: number, next: string): void;
  /**
   * Everything before this offset is done. Also called for batches without visible records.
   * @param timestamp of the last finished record, in epoch milliseconds
   */
  onPosition(partition: number, offset: string, timestamp?: number): void;
  /** Called at most once. The consumer cannot continue and the process must end. */
  onFatal(error: Error): void;
}

const FETCHED_PARTITIONS = 8;
const PARTITIONS_AT_ONCE = 4;
const HEARTBEAT_EVERY_MS = 1_000;

/**
 * Runs kafkajs with the guards that it lacks. It reports a dead consumer (kafkajs #1443) and sends heartbeats
 * during long batches. If an offset is out of range, the consumer stops and does not reset the offset.
 * Batches are decoded lazily (docs/decisions/0030), and only `commit` commits.
 * @returns a function that leaves the group in an orderly way
 */
export async function startConsumer(options: ConsumerOptions): Promise<() => Promise<void>> {
  const { topic, groupId, log } = options;
  // kafkajs commits the reset offset right after it logs this line. No other hook can prevent that.
  const kafka = createKafka(options.kafka, log, ({ log: { message, topic, partition } }) => {
    if (message.startsWith('Offset out of range'))
      throw new LostOffsetsError(
        `the next offset of ${topic}, partition ${partition}, is not in the log. Kafka deleted records ` +
          'before the projector read them, or the topic was deleted and created again',
      );
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
  const newAssignment = () => {
    assignment.abort();
    assignment = new AbortController();
  };
  /** Partitions whose batch was handed over. Their offsets are committed by the handler. */
  const handed = new Set<number>();

  consumer.on('consumer.rebalancing', newAssignment);
  consumer.on('consumer.group_join', ({ payload }) => {
    joins++;
    newAssignment();
    const partitions = payload.memberAssignment[topic] ?? [];
    log.info({ groupId, partitions }, 'partitions assigned');
    options.onAssigned(partitions);
  });
  consumer.on('consumer.start_batch_process', ({ payload }) =>
    options.onFetched(payload.partition, offsetAfter(payload.lastOffset)),
  );
  consumer.on('consumer.end_batch_process', async ({ payload: { partition, lastOffset } }) => {
    if (handed.delete(partition)) return;
    // The batch held only control records and aborted transactions, so the handler never commits it.
    const offset = offsetAfter(lastOffset);
    options.onPosition(partition, offset);
    await consumer
      .commitOffsets([{ topic, partition, offset }])
      .catch((error: unknown) =>
        log.debug({ err: error, partition }, 'could not commit the offset after control records'),
      );
  });
  consumer.on('consumer.crash', ({ payload }) => {
    if (payload.restart) log.warn({ err: payload.error }, 'the consumer crashed and is restarting');
    else fatal(rootOf(payload.error));
  });

  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await runLazily(() =>
      consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
        eachBatch: async (payload) => {
          handed.add(payload.batch.partition);
          if (stopping) return;
          const joined = joins;
          const isAssigned = () => joins === joined;
          try {
            await withHeartbeats(payload, assignment, log, (signal) =>
              options.handle(
                toPartitionBatch(payload, { signal, isAssigned, onPosition: options.onPosition }),
              ),
            );
          } catch (error) {
            handed.delete(payload.batch.partition);
            // kafkajs handles its own errors (rejoin, retry). kafkajs would retry other errors without end.
            if (error instanceof kafkajs.KafkaJSError) throw error;
            fatal(error as Error);
            throw new kafkajs.KafkaJSNonRetriableError(error as Error);
          }
        },
      }),
    );
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

/** Error types that mean that the group continues without this member until it joins again. */
const GROUP_MOVED_ON = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'NOT_COORDINATOR_FOR_GROUP',
  'UNKNOWN_MEMBER_ID',
]);

/**
 * Sends heartbeats while `work` runs. A rejected heartbeat means that the group has rebalanced, and aborts
 * the assignment. A heartbeat that is lost with its connection has no consequence.
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
      if (!GROUP_MOVED_ON.has(error.type ?? '')) return log.debug({ err: error }, 'a heartbeat was lost');
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
