import { type Chunk, type FetchedRecord, type PartitionBatch, readChunks } from '@vitrine/kafka';
import type { VersionBound } from '@vitrine/listing-events';
import type { Log } from '@vitrine/runtime/log';
import { traceChunk } from './chunks/chunk-tracing.ts';
import { type DecodedRecords, decodeRecords } from './chunks/decoded-records.ts';
import type { CpuTurns } from './cpu-turns.ts';
import type { DeadLetter } from './dead-letters/dead-letter.ts';
import type { ProjectorMetrics } from './metrics.ts';
import type { ChangeVisibility } from './progress/change-visibility.ts';
import type { Pauses } from './progress/pauses.ts';
import { yieldingBatches } from './progress/yielding-batches.ts';
import type { Projected, Projection } from './projection.ts';
import { isRetryable, retryWhileElasticsearchUnavailable } from './store/elasticsearch-unavailable.ts';

export interface ListingConsumer {
  generation: number;
  groupId: string;
  projection: Projection;
  cpuTurns: CpuTurns;
  /** @returns the dead letters that this process had not written before */
  sendDeadLetters(deadLetters: readonly DeadLetter[]): Promise<readonly DeadLetter[]>;
  /** The highest version that a record may have. It is absent if there is no bound. */
  versionBound?: VersionBound | undefined;
  pauses: Pauses;
  metrics: ProjectorMetrics;
  /** Measures when changes become visible. It is absent if the generation has no changes index. */
  visibility?: ChangeVisibility | undefined;
  log: Log;
  /**
   * This function is called after each unit of work, and once per second during a deliberate wait, even if no
   * offset has advanced.
   */
  onProgress(partition: number): void;
  /**
   * This function is called when the consumer begins to process a chunk.
   * @param timestamp the timestamp of the chunk's first record, in epoch milliseconds
   */
  onReading(partition: number, timestamp: number): void;
  /**
   * Waits until the consumer may process `records` more records, and calls `onWait` every second. Resolves
   * early if the signal aborts.
   * @returns a function to call when these records are finished
   */
  admit?: (records: number, signal: AbortSignal, onWait: () => void) => Promise<() => void>;
}

/**
 * Processes a batch in chunks: decodes, folds and stores each chunk, writes its dead letters, and only then
 * commits. While Elasticsearch is unavailable, the consumer pauses the partition and retries the chunk.
 * @throws DeadLetterTopicError and Kafka's errors. After an error, the unfinished chunk is not committed.
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
      const decoded = await consumer.cpuTurns.decode(() => decodeChunk(chunk.records, consumer.versionBound));
      const projected = await traceChunk(consumer.groupId, chunk.records, decoded, () =>
        applyWhileUnavailable(consumer, batch, decoded),
      ).finally(release);
      if (!projected) return;
      done = [...decoded.events.keys()].filter((id) => !projected.rejected.has(id));
      const deadLetters = [
        ...chunk.unreadable,
        ...decoded.deadLetters,
        ...refusedByIndex(decoded, projected),
      ];
      if (deadLetters.length > 0)
        countDeadLetters(consumer, await consumer.sendDeadLetters(ofTopic(batch.topicId, deadLetters)));
      await batch.commit(chunk.end, chunk.last);
      stopClock();
      count(consumer, partition, chunk, decoded, projected);
    }
  } catch (error) {
    if (signal.aborted && error === signal.reason) return;
    // Kafka rejects the commit if another process now has the partition. The last item writes may then be
    // based on outdated states, so this process derives these items again from the current states.
    if (done.length > 0)
      await consumer.projection
        .apply(new Map(done.map((id) => [id, []])))
        .catch((cause) =>
          consumer.log.warn({ err: cause }, 'could not repair the items of a lost partition'),
        );
    throw error;
  }
}

/** Adds the topic's id, because a record's offset is valid only together with this id. */
const ofTopic = (topicId: string, deadLetters: readonly DeadLetter[]): DeadLetter[] =>
  deadLetters.map((deadLetter) => ({ ...deadLetter, record: { ...deadLetter.record, topicId } }));

async function decodeChunk(
  chunk: readonly FetchedRecord[],
  bound: VersionBound | undefined,
): Promise<DecodedRecords> {
  const decoded = decodeRecords([]);
  for await (const records of yieldingBatches(chunk)) decodeRecords(records, decoded, bound);
  return decoded;
}

/**
 * Applies the chunk, and retries while Elasticsearch is unavailable. Returns undefined if Kafka reassigns the
 * partition during a wait.
 */
async function applyWhileUnavailable(
  consumer: ListingConsumer,
  { partition, signal }: PartitionBatch,
  { events }: DecodedRecords,
): Promise<Projected | undefined> {
  const { projection, pauses, metrics, log } = consumer;
  const apply = () => projection.apply(events, { signal, onProgress: () => consumer.onProgress(partition) });
  try {
    const projected = await retryWhileElasticsearchUnavailable(apply, signal, (reason) => {
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
  countFolds(consumer, decoded, projected);
  countChanges(consumer, decoded, projected);
  metrics.records.inc(chunk.count);
  metrics.bytes.inc(chunk.bytes);
  metrics.skipped.inc(decoded.skipped);
  metrics.visible.inc(projected.visible.size);
  for (const reason of projected.hidden.values()) metrics.hidden.inc({ reason });
  consumer.onProgress(partition);
}

/**
 * Counts dead letters when they are written and not after the commit, because this process does not write
 * them again if Kafka rejects the commit.
 */
function countDeadLetters({ metrics, log }: ListingConsumer, deadLetters: readonly DeadLetter[]): void {
  for (const { record, reason, detail } of deadLetters) {
    metrics.deadLetters.inc({ reason });
    log.warn({ reason, detail, partition: record.partition, offset: record.offset }, 'dead letter');
  }
}

function countFolds(
  { metrics, generation }: ListingConsumer,
  { events }: DecodedRecords,
  { superseded }: Projected,
): void {
  const freshness = metrics.freshness.labels({ generation: String(generation) });
  const now = Date.now();
  metrics.countSources(events.values(), superseded);
  // Clocks differ, so an event from the future counts as 0 seconds old.
  for (const ofListing of events.values())
    for (const { time } of ofListing)
      if (time !== undefined) freshness.observe(Math.max(0, now - time) / 1_000);
}

function countChanges(
  { metrics, generation, visibility }: ListingConsumer,
  { events }: DecodedRecords,
  { entries }: Projected,
): void {
  const counts = { updated: 0, deleted: 0 };
  for (const { state } of entries.values()) counts[state]++;
  for (const [state, count] of Object.entries(counts))
    metrics.changes.inc({ generation: String(generation), state }, count);
  visibility?.add(
    [...entries].flatMap(([id, { sequence }]) =>
      (events.get(id) ?? []).flatMap(({ time }) => (time === undefined ? [] : [{ sequence, time }])),
    ),
  );
}
