import type { Log } from '@vitrine/runtime';
import { type Chunk, readChunks } from './chunks/batch-reader.ts';
import { traceChunk } from './chunks/chunk-tracing.ts';
import { type DecodedRecords, decodeRecords } from './chunks/decoded-records.ts';
import { type CpuTurns, yieldingBatches } from './cpu-turns.ts';
import type { DeadLetter } from './dead-letters/dead-letter.ts';
import type { SourceRecord } from './kafka/format/source-record.ts';
import type { PartitionBatch } from './kafka/partition-batch.ts';
import type { ProjectorMetrics } from './metrics.ts';
import type { Pauses } from './progress/pauses.ts';
import type { Projected, Projection } from './projection.ts';
import { isRetryable } from './store/elasticsearch-unavailable.ts';
import { retryWhileUnavailable } from './store/retry-while-unavailable.ts';

export interface ListingConsumer {
  /** Number of the generation that the projection writes. */
  generation: number;
  groupId: string;
  projection: Projection;
  cpuTurns: CpuTurns;
  /** @returns the dead letters that were not written before */
  sendDeadLetters(letters: readonly DeadLetter[]): Promise<readonly DeadLetter[]>;
  pauses: Pauses;
  metrics: ProjectorMetrics;
  log: Log;
  /** Called when work was finished, even if no offset has moved yet. */
  onProgress(partition: number): void;
  /**
   * Called when work on a chunk begins.
   * @param timestamp of its first record, in epoch milliseconds
   */
  onReading(partition: number, timestamp: number): void;
  /**
   * Waits until `records` more may be processed and calls `onWait` every second. Resolves early if the signal
   * aborts.
   * @returns a function to call when they are done
   */
  admit?: (records: number, signal: AbortSignal, onWait: () => void) => Promise<() => void>;
}

/**
 * Processes a batch chunk by chunk: decode, fold, store, write dead letters, and only then commit. While
 * Elasticsearch is unavailable, the consumer pauses the partition and retries the chunk.
 * @throws DeadLetterTopicError and Kafka's errors. The offset then stays before the unfinished chunk.
 */
export async function consumeBatch(consumer: ListingConsumer, batch: PartitionBatch): Promise<void> {
  let done: string[] = [];
  const { partition, signal } = batch;
  const onWait = () => consumer.onProgress(partition);
  consumer.metrics.batchBytes.observe(batch.batches.reduce((sum, { bytes }) => sum + bytes.length, 0));
  try {
    for await (const chunk of readChunks(batch, { signal, onWait })) {
      if (chunk.first !== undefined) consumer.onReading(partition, chunk.first);
      const release = await consumer.admit?.(chunk.count, signal, onWait);
      if (signal.aborted) return release?.();
      const stopClock = consumer.metrics.chunkSeconds.startTimer();
      const decoded = await consumer.cpuTurns.decode(() => decodeChunk(chunk.records));
      const projected = await traceChunk(consumer.groupId, chunk.records, decoded, () =>
        applyWhileUnavailable(consumer, batch, decoded),
      ).finally(release);
      if (!projected) return;
      done = [...decoded.events.keys()].filter((id) => !projected.rejected.has(id));
      const letters = [...chunk.deadLetters, ...decoded.deadLetters, ...refusedByIndex(decoded, projected)];
      if (letters.length > 0) countDeadLetters(consumer, await consumer.sendDeadLetters(letters));
      await batch.commit(chunk.end, chunk.last);
      stopClock();
      count(consumer, partition, chunk, decoded, projected);
    }
  } catch (error) {
    if (signal.aborted && error === signal.reason) return;
    // The commit was refused because another process has the partition. The condition of the last writes may
    // have been out of date, so the affected items are derived again from the current states.
    if (done.length > 0)
      await consumer.projection
        .apply(new Map(done.map((id) => [id, []])))
        .catch((cause) =>
          consumer.log.warn({ err: cause }, 'could not check the items of a reassigned partition'),
        );
    throw error;
  }
}

async function decodeChunk(chunk: readonly SourceRecord[]): Promise<DecodedRecords> {
  const decoded = decodeRecords([]);
  for await (const records of yieldingBatches(chunk)) decodeRecords(records, decoded);
  return decoded;
}

/**
 * Applies the chunk, and retries while Elasticsearch is unavailable. Undefined if the partition is reassigned
 * meanwhile.
 */
async function applyWhileUnavailable(
  consumer: ListingConsumer,
  { partition, signal }: PartitionBatch,
  { events }: DecodedRecords,
): Promise<Projected | undefined> {
  const { projection, pauses, metrics, log } = consumer;
  const apply = () => projection.apply(events, { signal, onProgress: () => consumer.onProgress(partition) });
  try {
    const projected = await retryWhileUnavailable(apply, signal, ({ message: reason }) => {
      metrics.retries.inc();
      if (pauses.begin(partition, reason))
        log.warn({ partition, reason }, 'paused the partition, because Elasticsearch is unavailable');
    });
    if (pauses.end(partition))
      log.info({ partition }, 'resumed the partition, because Elasticsearch is available again');
    return projected;
  } catch (error) {
    pauses.end(partition);
    if (signal.aborted && isRetryable(error)) return undefined;
    throw error;
  }
}

function refusedByIndex({ sources }: DecodedRecords, { rejected }: Projected): DeadLetter[] {
  return [...rejected].flatMap(([id, detail]) =>
    (sources.get(id) ?? []).map((record) => ({ record, reason: 'refused-by-index', detail })),
  );
}

function count(
  consumer: ListingConsumer,
  partition: number,
  chunk: Chunk,
  decoded: DecodedRecords,
  projected: Projected,
): void {
  const { metrics } = consumer;
  countFolds(consumer, decoded);
  metrics.records.inc(chunk.count);
  metrics.bytes.inc(chunk.bytes);
  metrics.skipped.inc(decoded.skipped);
  metrics.visible.inc(projected.visible.size);
  for (const reason of projected.hidden.values()) metrics.hidden.inc({ reason });
  consumer.onProgress(partition);
}

/**
 * Counts dead letters when they are written. If the commit is refused, the next process does not count them
 * again.
 */
function countDeadLetters({ metrics, log }: ListingConsumer, letters: readonly DeadLetter[]): void {
  for (const { record, reason, detail } of letters) {
    metrics.deadLetters.inc({ reason });
    log.warn({ reason, detail, partition: record.partition, offset: record.offset }, 'dead letter');
  }
}

function countFolds({ metrics, generation }: ListingConsumer, { events }: DecodedRecords): void {
  const freshness = metrics.freshness.labels({ generation: String(generation) });
  const now = Date.now();
  for (const ofListing of events.values()) {
    metrics.folds.inc(ofListing.length);
    // Because clocks differ, an event from the future counts as 0 seconds old.
    for (const { time } of ofListing)
      if (time !== undefined) freshness.observe(Math.max(0, now - time) / 1_000);
  }
}
