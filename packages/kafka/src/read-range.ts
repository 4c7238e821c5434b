import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@vitrine/runtime/log';
import type { KafkaAdmin } from './admin.ts';
import type { KafkaConnection } from './connection.ts';
import { KafkaError } from './errors.ts';
import type { FetchedRecord } from './format/record-batch.ts';
import { startConsumer } from './kafka-consumer.ts';
import { readChunks, type UnreadableRecord } from './read-chunks.ts';
import { readTopicId } from './topic-id.ts';

/**
 * A fixed range of records in a topic. Because the range does not grow, a command never reads the records
 * that result from its own work.
 */
export type TopicRange = { partition: number; from: bigint; to: bigint }[];

/** The progress of a scan, in records. */
export interface ScanProgress {
  done: number;
  total: number;
}

/** The read fails if Kafka sends nothing for this long. */
const SILENCE_MS = 60_000;
const POLL_EVERY_MS = 50;

export class RangeReading {
  readonly #topic: string;
  readonly #left: Map<number, { next: bigint; to: bigint }>;
  readonly #total: number;
  readonly #onProgress: ((progress: ScanProgress) => void) | undefined;
  #done = 0;
  #heardAt = performance.now();
  #error: Error | undefined;

  constructor(topic: string, range: TopicRange, onProgress: ((progress: ScanProgress) => void) | undefined) {
    this.#topic = topic;
    this.#left = new Map(range.map(({ partition, from, to }) => [partition, { next: from, to }]));
    this.#total = range.reduce((sum, { from, to }) => sum + Number(to - from), 0);
    this.#onProgress = onProgress;
  }

  /** Notes that Kafka is still responding. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Whether a record is new. After a rebalance, the consumer begins again at the start of the log. */
  wants(partition: number, offset: bigint): boolean {
    const left = this.#left.get(partition);
    return left !== undefined && offset >= left.next && offset < left.to;
  }

  /** Notes that every record in the partition before this offset is processed. */
  reached(partition: number, offset: bigint): void {
    this.heard();
    const left = this.#left.get(partition);
    if (!left || offset <= left.next || this.#error) return;
    const next = offset < left.to ? offset : left.to;
    this.#done += Number(next - left.next);
    left.next = next;
    if (next === left.to) this.#left.delete(partition);
    this.#onProgress?.({ done: this.#done, total: this.#total });
  }

  fail(error: Error): void {
    this.#error ??= error;
  }

  get isOver(): boolean {
    return this.#error !== undefined || this.#left.size === 0;
  }

  /** Resolves at the end of the range. @throws the read error, or the signal's reason */
  async over(signal: AbortSignal): Promise<void> {
    while (!this.isOver) {
      signal.throwIfAborted();
      if (performance.now() - this.#heardAt > SILENCE_MS)
        throw new Error(
          `could not read the topic ${this.#topic} to its end, because Kafka stopped responding`,
        );
      await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    if (this.#error) throw this.#error;
  }
}

export interface RangeOptions {
  kafka: KafkaConnection;
  admin: KafkaAdmin;
  log: Log;
  /** The name of a temporary group that no other process uses. */
  groupId: string;
  topic: string;
  range: TopicRange;
  signal: AbortSignal;
  /** Whether the range may contain open transactions. Records of aborted transactions are then read too. */
  readUncommitted?: boolean;
  /** Receives each record. The reader continues when the returned promise resolves. */
  onRecord(record: FetchedRecord): Promise<void> | void;
  /** Receives each unreadable batch in the range as one record. */
  onUnreadable?: (unreadable: UnreadableRecord) => void;
  onProgress?: ((progress: ScanProgress) => void) | undefined;
}

const BYTES_PER_PARTITION = 1024 * 1024;
/** Committing offsets takes five seconds, so it pays off only if it skips more records than this. */
const SKIPS_AT_LEAST = 100_000n;
const DELETE_AGAIN_MS = 100;
const DELETE_ATTEMPTS = 20;

/**
 * Returns the current range of a topic. The range is empty if the topic does not exist.
 * @param only restricts the range to this partition
 * @throws KafkaError
 */
export async function rangeOf(admin: KafkaAdmin, topic: string, only?: number): Promise<TopicRange> {
  if (!(await admin.listTopics()).includes(topic)) return [];
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets
    .map(({ partition, low, high }) => ({ partition, from: BigInt(low), to: BigInt(high) }))
    .filter(({ partition, from, to }) => from < to && (only === undefined || partition === only));
}

/**
 * Reads the records in a range with the guarded consumer. Reads each record exactly once, and each partition
 * in order. `onRecord` receives no records from a batch that cannot be decompressed. The function always
 * deletes its temporary group.
 * @throws errors from `onRecord`; the signal's reason after an interruption; LostOffsetsError;
 * MissingTopicError; KafkaError
 */
export async function readRange(options: RangeOptions): Promise<void> {
  const { kafka, admin, log, groupId, topic, range, signal, onRecord, onUnreadable } = options;
  const { readUncommitted = false } = options;
  signal.throwIfAborted();
  if (range.length === 0) return;
  const reading = new RangeReading(topic, range, options.onProgress);
  let leave: () => Promise<void> = async () => undefined;
  try {
    const starts = startsOf(range, await admin.fetchTopicOffsets(topic));
    if (starts) await admin.setOffsets({ groupId, topic, partitions: starts });
    leave = await startConsumer({
      kafka,
      groupId,
      topic,
      topicId: await readTopicId(admin, topic),
      admin,
      log,
      bytesPerPartition: BYTES_PER_PARTITION,
      keepOffsets: false,
      readUncommitted,
      handle: async (batch) => {
        const { partition } = batch;
        const isOver = () => reading.isOver || signal.aborted || batch.signal.aborted;
        const onWait = () => reading.heard();
        for await (const { records, unreadable } of readChunks(batch, { signal: batch.signal, onWait })) {
          // The unreadable batches come before the records, because some records may follow such a batch and
          // move the position past it.
          for (const one of unreadable)
            if (reading.wants(partition, BigInt(one.record.offset))) onUnreadable?.(one);
          for (const record of records) {
            if (isOver()) return;
            const offset = BigInt(record.offset);
            if (!reading.wants(partition, offset)) continue;
            await onRecord(record);
            reading.reached(partition, offset + 1n);
          }
        }
        if (!isOver()) await batch.commit(batch.end);
      },
      onAssigned: () => reading.heard(),
      onFetched: () => reading.heard(),
      onPosition: (partition, offset) => reading.reached(partition, BigInt(offset)),
      onFatal: (error) => reading.fail(error),
    });
    await reading.over(signal);
  } finally {
    await leave();
    await deleteWhenEmpty(admin, groupId);
  }
}

/**
 * Returns where a reader of a range begins in each partition, or undefined if reading the records before the
 * range takes less time than committing these offsets. Pure.
 * @param log every partition of the topic
 */
export function startsOf(
  range: TopicRange,
  log: readonly { partition: number; low: string; high: string }[],
): { partition: number; offset: string }[] | undefined {
  const from = new Map(range.map((one) => [one.partition, one.from]));
  let skipped = 0n;
  const starts = log.map(({ partition, low, high }) => {
    const start = from.get(partition) ?? BigInt(high);
    if (start > BigInt(low)) skipped += start - BigInt(low);
    return { partition, offset: String(start) };
  });
  return skipped > SKIPS_AT_LEAST ? starts : undefined;
}

/** Deletes a group. The group may need a moment to notice that its last member has left. */
async function deleteWhenEmpty(admin: KafkaAdmin, groupId: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.deleteGroup(groupId);
      return;
    } catch (error) {
      const isOccupied = error instanceof KafkaError && error.code === 'NON_EMPTY_GROUP';
      if (!isOccupied || attempt === DELETE_ATTEMPTS) throw error;
      await sleep(DELETE_AGAIN_MS);
    }
  }
}
