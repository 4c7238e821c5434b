import kafkajs, { type EachBatchPayload } from 'kafkajs';
import { type Fetched, fetchedBatches } from './fetch-response.ts';

/** Batches of one partition. Until they are handled, nothing else is fetched from the partition. */
export interface PartitionBatch extends Fetched {
  /** Aborts when the partition is reassigned or the consumer stops. */
  signal: AbortSignal;
  /**
   * Commits `offset`: everything before it in the partition is finished.
   * @param timestamp of the last finished record, in epoch milliseconds
   * @throws KafkaJSError if another member has the partition
   */
  commit(offset: bigint, timestamp?: number): Promise<void>;
}

export interface BatchOptions {
  signal: AbortSignal;
  /** Whether the consumer is still in the group generation in which it fetched this batch. */
  isAssigned(): boolean;
  /** Reports that everything before `offset` is finished. */
  onPosition(partition: number, offset: string, timestamp?: number): void;
}

/** Wraps a kafkajs batch so that it is read lazily and committed explicitly. */
export function toPartitionBatch(
  {
    batch,
    resolveOffset,
    commitOffsetsIfNecessary,
  }: Pick<EachBatchPayload, 'batch' | 'resolveOffset' | 'commitOffsetsIfNecessary'>,
  { signal, isAssigned, onPosition }: BatchOptions,
): PartitionBatch {
  const fetched = fetchedBatches(batch);
  const { topic, partition } = fetched;
  // Another broker's fetcher may rejoin the group while this batch is processed. kafkajs would then commit
  // with the new group generation, which Kafka accepts for any partition. Without a group generation, it
  // throws a TypeError.
  const assertAssigned = () => {
    if (!isAssigned())
      throw new kafkajs.KafkaJSError(
        `the group was joined again while a batch of partition ${partition} was processed`,
      );
  };
  return {
    ...fetched,
    signal,
    commit: async (next, timestamp) => {
      const offset = next.toString();
      assertAssigned();
      await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] });
      assertAssigned();
      resolveOffset((next - 1n).toString());
      onPosition(partition, offset, timestamp);
    },
  };
}
