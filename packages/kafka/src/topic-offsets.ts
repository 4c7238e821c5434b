import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type { KafkaAdmin } from './admin.ts';
import { DeletedTopicError, LostOffsetsError, MissingTopicError, RecreatedTopicError } from './errors.ts';
import { type RecordAge, recordAges, type UnfinishedRecord } from './record-ages.ts';
import { readTopicId, topicIdOfCommit } from './topic-id.ts';

interface ListOffsetsArguments {
  isolationLevel?: number;
}
interface ListOffsetsProtocol {
  protocol(request: { version: number }): (given: ListOffsetsArguments) => unknown;
}

const READ_UNCOMMITTED = 0;
const inUncommittedRead = new AsyncLocalStorage<true>();

/*
 * ListOffsets Request (Version: 2) => replica_id isolation_level [topics]
 *
 * kafkajs' admin client always sends isolation level 1 (read_committed). Kafka then returns the last stable
 * offset instead of the high watermark, and hides the timestamps of the records behind it.
 */
const listOffsets = createRequire(import.meta.url)(
  'kafkajs/src/protocol/requests/listOffsets/index.js',
) as ListOffsetsProtocol;
const original = listOffsets.protocol;
listOffsets.protocol = (request) => {
  const build = original(request);
  return (given) =>
    build(inUncommittedRead.getStore() ? { ...given, isolationLevel: READ_UNCOMMITTED } : given);
};

/**
 * Runs `read`. The offsets that `read` fetches with kafkajs' admin client include records in open
 * transactions, so the end of a partition is its high watermark.
 */
const withOpenTransactions = <T>(read: () => Promise<T>): Promise<T> => inUncommittedRead.run(true, read);

/** The range [low, end) of offsets in a partition's log, and the committed offset of a group. */
export interface PartitionOffsets {
  partition: number;
  low: bigint;
  /** The high watermark. */
  end: bigint;
  /**
   * The last stable offset, which equals `end` unless a transaction is open. No consumer can read the records
   * from this offset to `end` before the first open transaction ends.
   */
  stable: bigint;
  /** The committed offset. It is undefined if the group has no commit for this topic. */
  committed: bigint | undefined;
  /** The id of the topic to which all these offsets belong. */
  topicId: string;
  /**
   * The id of an earlier topic with the same name, if the group's commit belongs to that topic. Such a commit
   * does not count.
   */
  staleId?: string;
}

/**
 * Reads the offsets for every partition of a topic. The function reads the commits before the log, so a
 * commit never exceeds the end. It reads the high watermark before the last stable offset, so new records
 * never look like an open transaction.
 * @throws MissingTopicError; KafkaError
 */
export async function readOffsets(
  admin: KafkaAdmin,
  groupId: string,
  topic: string,
): Promise<PartitionOffsets[]> {
  const topicId = await readTopicId(admin, topic);
  const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const commits = new Map(
    (group?.partitions ?? [])
      .filter(({ offset }) => BigInt(offset) >= 0n)
      .map(({ partition, offset, metadata }) => [partition, { offset, of: topicIdOfCommit(metadata) }]),
  );
  const ends = new Map(
    (await withOpenTransactions(() => admin.fetchTopicOffsets(topic))).map(({ partition, high }) => [
      partition,
      BigInt(high),
    ]),
  );
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.map(({ partition, low, high }) => {
    const commit = commits.get(partition);
    const staleId = commit?.of === undefined || commit.of === topicId ? undefined : commit.of;
    const stable = BigInt(high);
    const end = ends.get(partition) ?? stable;
    return {
      partition,
      low: BigInt(low),
      end: end > stable ? end : stable,
      stable,
      committed: commit && staleId === undefined ? BigInt(commit.offset) : undefined,
      topicId,
      ...(staleId !== undefined && { staleId }),
    };
  });
}

/** Finds the ages of these records, at most one record per partition. */
export async function recordAgesIn(
  admin: KafkaAdmin,
  topic: string,
  records: readonly UnfinishedRecord[],
): Promise<Map<number, RecordAge>> {
  const now = Date.now();
  const ages = await recordAges(records, async (age) => {
    const seeks = await withOpenTransactions(() => admin.fetchTopicOffsetsByTimestamp(topic, now - age));
    return new Map(seeks.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
  return new Map(records.map(({ partition }, i) => [partition, ages[i] as RecordAge]));
}

/**
 * Checks that the offsets belong to the topic with the id `expected`. @throws RecreatedTopicError if the
 * topic now has a different id, or if the group's commit is for an earlier topic with that name
 */
export function assertSameTopic(
  topic: string,
  expected: string | undefined,
  offsets: readonly Pick<PartitionOffsets, 'topicId' | 'staleId'>[],
): void {
  for (const { topicId, staleId } of offsets) {
    const was = staleId ?? expected ?? topicId;
    if (was !== topicId) throw new RecreatedTopicError(topic, was, topicId);
  }
}

/**
 * Checks that the log still holds the next records of a group. @throws LostOffsetsError that names every
 * affected partition, because the operator makes one decision for all partitions
 */
export function assertOffsetsInLog(
  groupId: string,
  topic: string,
  offsets: readonly PartitionOffsets[],
): void {
  const lost = offsets.filter(
    ({ low, end, committed }) => committed !== undefined && (committed < low || committed > end),
  );
  if (lost.length === 0) return;
  const list = lost.map(
    ({ partition, low, end, committed }) =>
      `partition ${partition}: committed offset ${committed}, log from ${low} to ${end}`,
  );
  throw new LostOffsetsError(
    `${topic} no longer holds the next records of group ${groupId} (${list.join('; ')}). Kafka deleted ` +
      'them before this process read them, or the topic was deleted and created again',
    "The projector never resets offsets silently. Run replay, or set the group's offsets yourself",
  );
}

/**
 * Commits the start of a group that has no commit for this topic. A restart or a rebalance before the group
 * makes its first commit then skips no records. kafkajs cannot add the topic's id to these commits.
 * @param start the first offset of a partition that the group reads
 * @throws KafkaError, unless another member of the group has committed in the meantime; an Error if the group
 * has another member that has not committed
 */
export async function startAt(
  admin: KafkaAdmin,
  groupId: string,
  topic: string,
  offsets: readonly PartitionOffsets[],
  start: (partition: PartitionOffsets) => bigint,
): Promise<void> {
  try {
    await admin.setOffsets({
      groupId,
      topic,
      partitions: offsets.map((one) => ({ partition: one.partition, offset: String(start(one)) })),
    });
  } catch (error) {
    // Kafka rejects this commit while the group has members. In that case, another process was faster.
    if ((await readOffsets(admin, groupId, topic)).some(({ committed }) => committed !== undefined)) return;
    if ((await admin.describeGroup(groupId)).members.length === 0) throw error;
    throw new Error(
      `group ${groupId} must start again in ${topic}, but another process is still a member. Such a process ` +
        'ends by itself, unless its release is older. Stop an older one, then start this one again',
      { cause: error },
    );
  }
}

/**
 * A topic counts as deleted if, in this many consecutive reads, no broker that responds knows the topic. A
 * broker that has just started may not know every topic.
 */
const MISSES = 2;

/**
 * Reads the offsets of a group at intervals, for as long as its topic exists.
 * @param topicId the id of the topic that the group reads
 * @returns a function that reads the offsets once. It throws a LostOffsetsError if the topic was deleted, or
 * deleted and created again. It also throws KafkaError.
 */
export function watchedOffsets(
  admin: KafkaAdmin,
  groupId: string,
  topic: string,
  topicId: string,
): () => Promise<PartitionOffsets[]> {
  let misses = 0;
  return async () => {
    try {
      const offsets = await readOffsets(admin, groupId, topic);
      misses = 0;
      assertSameTopic(topic, topicId, offsets);
      return offsets;
    } catch (error) {
      if (error instanceof MissingTopicError && ++misses >= MISSES) throw new DeletedTopicError(topic);
      throw error;
    }
  };
}
