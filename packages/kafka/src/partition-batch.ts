import kafkajs, { type EachBatchPayload } from 'kafkajs';
import { type Fetched, fetchedBatches } from './fetch-response.ts';
import { commitMetadata } from './topic-id.ts';

/** Batches from one partition. The consumer fetches no others from this partition until these are handled. */
export interface PartitionBatch extends Fetched {
  topicId: string;
  /** A signal that aborts when Kafka reassigns the partition or the consumer stops. */
  signal: AbortSignal;
  /**
   * Commits `offset` with the topic's id, because every earlier record in the partition is finished.
   * @param timestamp the last finished record's timestamp, in epoch milliseconds
   * @throws an error that the handler must rethrow, if another member has the partition
   */
  commit(offset: bigint, timestamp?: number): Promise<void>;
}

interface BatchOptions {
  topicId: string;
  signal: AbortSignal;
  /** Whether the consumer is still in the group generation in which it fetched this batch. */
  isAssigned(): boolean;
  keepOffsets: boolean;
  /** Reports that every record before `offset` is finished. */
  onPosition(partition: number, offset: string, timestamp?: number): void;
}

/** Wraps a kafkajs batch for lazy reading and explicit commits. */
export function toPartitionBatch(
  {
    batch,
    resolveOffset,
    commitOffsetsIfNecessary,
  }: Pick<EachBatchPayload, 'batch' | 'resolveOffset' | 'commitOffsetsIfNecessary'>,
  { topicId, signal, isAssigned, keepOffsets, onPosition }: BatchOptions,
): PartitionBatch {
  const fetched = fetchedBatches(batch);
  const { topic, partition } = fetched;
  // The fetcher for another broker may rejoin the group while the handler processes this batch. kafkajs would
  // then commit with the new group generation, which Kafka accepts for any partition. If kafkajs has no group
  // generation at that moment, it throws a TypeError.
  const assertAssigned = () => {
    if (!isAssigned())
      throw new kafkajs.KafkaJSError(
        `the consumer rejoined its group while it processed a batch of partition ${partition}`,
      );
  };
  return {
    ...fetched,
    topicId,
    signal,
    commit: async (next, timestamp) => {
      const offset = next.toString();
      assertAssigned();
      const position = { partition, offset, metadata: commitMetadata(topicId) };
      if (keepOffsets) await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [position] }] });
      assertAssigned();
      resolveOffset((next - 1n).toString());
      onPosition(partition, offset, timestamp);
    },
  };
}
