import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FetchedRecord, fetchedBatches, readChunks, runLazily } from '@vitrine/kafka';
import kafkajs, { type Admin, type Consumer } from 'kafkajs';
import type { CommandContext } from '../command-context.ts';

type OnRecord = (record: FetchedRecord) => Promise<void> | void;

/** A fixed range of a topic. Because the range does not grow, a command never reads the records that it causes. */
export type RecordRange = { partition: number; from: bigint; to: bigint }[];

/** The progress of a scan, in records. */
export interface ScanProgress {
  done: number;
  total: number;
}

const FETCH_BYTES_PER_PARTITION = 1024 * 1024;
const FETCH_BYTES = 8 * 1024 * 1024;
/** The read fails if Kafka sends nothing for this long. */
const SILENCE_MS = 60_000;
const POLL_EVERY_MS = 50;
const DELETE_ATTEMPTS = 20;

/**
 * Returns the current range of a topic, which is empty if the topic does not exist.
 * @param only restricts the range to this partition
 */
export async function rangeOf({ admin }: CommandContext, topic: string, only?: number): Promise<RecordRange> {
  if (!(await admin.listTopics()).includes(topic)) return [];
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets
    .map(({ partition, low, high }) => ({ partition, from: BigInt(low), to: BigInt(high) }))
    .filter(({ partition, from, to }) => from < to && (only === undefined || partition === only));
}

/**
 * Reads the records of a range. Reads each record exactly once, and each partition in order. Always deletes its
 * temporary consumer group.
 * @param onRecord called with each record. Reading continues when the returned promise resolves.
 * @throws errors of `onRecord`; the signal's reason after an interruption; Kafka's errors
 */
export async function readRecords(
  context: CommandContext,
  topic: string,
  range: RecordRange,
  onRecord: OnRecord,
  onProgress?: (progress: ScanProgress) => void,
): Promise<void> {
  const { kafka, admin, settings, signal } = context;
  signal.throwIfAborted();
  if (range.length === 0) return;
  const reading = new Reading(topic, range, onProgress);
  const groupId = `${settings.CONSUMER_GROUP}-cli-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    maxBytesPerPartition: FETCH_BYTES_PER_PARTITION,
    maxBytes: FETCH_BYTES,
    maxWaitTimeInMs: 250,
    allowAutoTopicCreation: false,
  });
  try {
    consumer.on('consumer.crash', ({ payload }) => {
      if (!payload.restart) reading.fail(payload.error);
    });
    // kafkajs reports a batch that contains only control records with no other event.
    consumer.on('consumer.end_batch_process', ({ payload: { partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) reading.reached(partition, BigInt(lastOffset) + 1n);
    });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await runLazily(() =>
      consumer.run({
        autoCommit: false,
        eachBatch: async ({ batch, heartbeat, isRunning }) => {
          for await (const { records } of readChunks(fetchedBatches(batch), {
            signal,
            onWait: () => undefined,
          }))
            for (const record of records) {
              if (reading.isOver || signal.aborted || !isRunning()) return;
              await handOver(reading, record, onRecord);
              await heartbeat();
            }
          reading.reached(batch.partition, BigInt(batch.lastOffset()) + 1n);
        },
      }),
    );
    await reading.over(signal);
  } finally {
    await leave(consumer, admin, groupId);
  }
}

async function handOver(reading: Reading, record: FetchedRecord, onRecord: OnRecord): Promise<void> {
  const { partition, offset } = record;
  if (!reading.wants(partition, BigInt(offset))) return;
  try {
    await onRecord(record);
  } catch (error) {
    reading.fail(error as Error);
    return;
  }
  reading.reached(partition, BigInt(offset) + 1n);
}

async function leave(consumer: Consumer, admin: Admin, groupId: string): Promise<void> {
  await consumer.disconnect();
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.deleteGroups([groupId]);
      return;
    } catch (error) {
      const codes =
        error instanceof kafkajs.KafkaJSDeleteGroupsError
          ? error.groups.map(({ errorCode }) => errorCode)
          : [];
      if (codes.every((code) => code === GROUP_ID_NOT_FOUND) && codes.length > 0) return;
      // The group may need a moment to notice that its last member left.
      if (!codes.includes(NON_EMPTY_GROUP) || attempt === DELETE_ATTEMPTS) throw error;
      await sleep(POLL_EVERY_MS * 2);
    }
  }
}

/** Error codes of Kafka. */
const NON_EMPTY_GROUP = 68;
const GROUP_ID_NOT_FOUND = 69;

/** Tracks the progress of a range scan. */
class Reading {
  readonly #topic: string;
  readonly #left: Map<number, { next: bigint; to: bigint }>;
  readonly #total: number;
  readonly #onProgress: ((progress: ScanProgress) => void) | undefined;
  #done = 0;
  #heardAt = Date.now();
  #error: Error | undefined;

  constructor(topic: string, range: RecordRange, onProgress: ((progress: ScanProgress) => void) | undefined) {
    this.#topic = topic;
    this.#left = new Map(range.map(({ partition, from, to }) => [partition, { next: from, to }]));
    this.#total = range.reduce((sum, { from, to }) => sum + Number(to - from), 0);
    this.#onProgress = onProgress;
  }

  /**
   * Returns whether an entry is new. After a restart, the consumer begins again at the start of the range.
   */
  wants(partition: number, offset: bigint): boolean {
    const left = this.#left.get(partition);
    return left !== undefined && offset >= left.next && offset < left.to;
  }

  /** Records that every entry of the partition before this offset is processed. */
  reached(partition: number, offset: bigint): void {
    this.#heardAt = Date.now();
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
      if (Date.now() - this.#heardAt > SILENCE_MS)
        throw new Error(`could not read the topic ${this.#topic} to its end, because Kafka does not respond`);
      await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    if (this.#error) throw this.#error;
  }
}
