import kafkajs, { type EachBatchPayload } from 'kafkajs';
import { type Fetched, fetchedBatches } from './fetch-response.ts';

/** Batches of one partition, held until they are handled; nothing more of the partition is fetched meanwhile. */
export interface PartitionBatch extends Fetched {
  /** Aborts when the partition is given away, or the consumer stops. */
  signal: AbortSignal;
  /**
   * Commits: everything of the partition below `offset` is finished.
   * @param timestamp of the last finished record, epoch milliseconds
   * @throws KafkaJSError when the partition is no longer ours
   */
  commit(offset: bigint, timestamp?: number): Promise<void>;
}

export interface BatchOptions {
  signal: AbortSignal;
  /** Whether the consumer is still in the generation of the group that got this batch. */
  isAssigned(): boolean;
  /** Everything before `offset` is finished. */
  onPosition(partition: number, offset: string, timestamp?: number): void;
}

/** What kafkajs hands over, as batches that are read lazily and committed explicitly. */
export function toPartitionBatch(
  { batch, resolveOffset, commitOffsetsIfNecessary }: Pick<EachBatchPayload, 'batch' | 'resolveOffset' | 'commitOffsetsIfNecessary'>,
  { signal, isAssigned, onPosition }: BatchOptions,
): PartitionBatch {
  const fetched = fetchedBatches(batch);
  const { topic, partition } = fetched;
  // Another broker's fetcher may join the group while this batch is processed. kafkajs then commits with the new
  // generation, which Kafka accepts for any partition, and fails with a TypeError where it has none any more.
  const assertAssigned = () => {
    if (!isAssigned()) throw new kafkajs.KafkaJSError(`the group was joined again while a batch of partition ${partition} was processed`);
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
