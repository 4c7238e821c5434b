import {
  type Chunk,
  type FetchedRecord,
  isTooLarge,
  KafkaError,
  type KafkaProducer,
  type PartitionBatch,
  readChunks,
} from '@vitrine/kafka';
import type { VersionBound } from '@vitrine/listing-events';
import type { DeadLetter, DeadLetterSink } from '@vitrine/projection/dead-letters';
import { type Pauses, retryWhileUnavailable, yieldingBatches } from '@vitrine/projection/progress';
import type { Log } from '@vitrine/runtime/log';
import { decodeContent, UNDECODABLE } from './decode-content.ts';
import { EventOutbox } from './event-outbox.ts';
import { type Decoder, DecoderUnavailableError } from './formats/format.ts';
import { type MappedRecord, mapRecord } from './map-record.ts';
import type { Mapping } from './mapping.ts';
import type { IngestMetrics } from './metrics.ts';

export interface TopicIngest {
  mapping: Mapping;
  decoder: Decoder;
  /** The topic to which the events go. */
  eventsTopic: string;
  producer: KafkaProducer;
  deadLetters: DeadLetterSink;
  versionBound: VersionBound | undefined;
  pauses: Pauses;
  metrics: IngestMetrics;
  log: Log;
  /** Reports each completed unit of work, even if no offset has advanced. */
  onProgress(): void;
  /**
   * Reports that the processing of a chunk begins.
   * @param timestamp the first record's timestamp in epoch milliseconds
   */
  onReading(partition: number, timestamp: number): void;
}

/** Splits a batch into chunks. */
export type ChunkReader = typeof readChunks;

/**
 * Processes a batch in chunks: maps the records, publishes their events, writes dead letters, and only then
 * commits. While Kafka or the schema registry is unavailable, the partition pauses. A repetition publishes
 * the same events with the same ids.
 * @throws DeadLetterTopicError and Kafka's errors. The committed offset then stays before the unfinished
 * chunk.
 */
export async function consumeBatch(
  ingest: TopicIngest,
  batch: PartitionBatch,
  read: ChunkReader = readChunks,
): Promise<void> {
  const { metrics } = ingest;
  const { topic, partition, signal } = batch;
  try {
    for await (const chunk of read(batch, { signal, onWait: () => ingest.onProgress() })) {
      if (chunk.first !== undefined) ingest.onReading(partition, chunk.first);
      const stopClock = metrics.chunkSeconds.startTimer();
      const { deadLetters, sent } = await publishChunk(ingest, batch, chunk);
      metrics.events.inc({ topic }, sent);
      const own = ofTopic(batch.topicId, deadLetters);
      countDeadLetters(ingest, await retried(ingest, batch, () => ingest.deadLetters.send(own)));
      await batch.commit(chunk.end, chunk.last);
      stopClock();
      metrics.records.inc({ topic }, chunk.count);
      metrics.bytes.inc({ topic }, chunk.bytes);
      ingest.onProgress();
    }
  } catch (error) {
    ingest.pauses.end(partition);
    // Another process continues with the partition, or this process does so after its next start.
    if (signal.aborted && (error === signal.reason || isUnavailable(error))) return;
    throw error;
  }
}

/** Maps a chunk and waits until Kafka has acknowledged its events. */
async function publishChunk(
  ingest: TopicIngest,
  batch: PartitionBatch,
  chunk: Chunk,
): Promise<{ deadLetters: DeadLetter[]; sent: number }> {
  const { producer, eventsTopic: topic } = ingest;
  const whileUnavailable = <T>(work: () => Promise<T>) => retried(ingest, batch, work);
  const outbox = new EventOutbox({ producer, topic, whileUnavailable });
  const deadLetters: DeadLetter[] = [...chunk.unreadable];
  for await (const records of yieldingBatches(chunk.records)) {
    batch.signal.throwIfAborted();
    for (const record of records) {
      const mapped = await decodeAndMap(ingest, record, whileUnavailable);
      if ('reason' in mapped) deadLetters.push({ record, ...mapped });
      else await outbox.add(record, mapped.messages);
    }
  }
  deadLetters.push(...(await outbox.flush()));
  return { deadLetters, sent: outbox.sent };
}

type WhileUnavailable = <T>(work: () => Promise<T>) => Promise<T>;

async function decodeAndMap(
  { mapping, decoder, versionBound, onProgress }: TopicIngest,
  record: FetchedRecord,
  whileUnavailable: WhileUnavailable,
): Promise<MappedRecord> {
  const decoding = decodeContent(decoder, record);
  const content =
    decoding instanceof Promise
      ? await decoding.catch((error: unknown) => {
          if (!(error instanceof DecoderUnavailableError)) throw error;
          return whileUnavailable(async () => decodeContent(decoder, record));
        })
      : decoding;
  // Each response from the registry counts as progress, because a chunk's 3,000 records can name 3,000
  // unknown schemas.
  if (decoding instanceof Promise) onProgress();
  return 'undecodable' in content
    ? { reason: UNDECODABLE, detail: content.undecodable }
    : mapRecord(mapping, record, content, versionBound?.(record.timestamp));
}

/** Repeats `work` while Kafka or the schema registry is unavailable. Meanwhile, the partition is paused. */
async function retried<T>(
  { pauses, metrics, log }: TopicIngest,
  { topic, partition, signal }: PartitionBatch,
  work: () => Promise<T>,
): Promise<T> {
  const result = await retryWhileUnavailable(work, signal, {
    isRetryable: isUnavailable,
    onUnavailable: (error) => {
      metrics.retries.inc();
      const what = error instanceof DecoderUnavailableError ? 'the schema registry' : 'Kafka';
      const reason = `${what} is unavailable: ${(error as Error).message}`;
      if (pauses.begin(partition, reason)) log.warn({ topic, partition, reason }, 'paused the partition');
    },
  });
  if (pauses.end(partition)) log.info({ topic, partition }, 'resumed the partition');
  return result;
}

/**
 * Errors after which the dead-letter topic may accept the same request. If an error has no code, no broker
 * responded.
 */
const DELAYS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
]);

const isUnavailable = (error: unknown): boolean =>
  error instanceof DecoderUnavailableError ||
  (error instanceof KafkaError && !isTooLarge(error)) ||
  // The next start creates a missing dead-letter topic, so only some errors pause the partition.
  (error instanceof Error && error.cause instanceof KafkaError && DELAYS.has(error.cause.code));

/** Adds the topic's id to dead letters, because a record's offset is valid only together with this id. */
const ofTopic = (topicId: string, deadLetters: readonly DeadLetter[]): DeadLetter[] =>
  deadLetters.map((deadLetter) => ({ ...deadLetter, record: { ...deadLetter.record, topicId } }));

function countDeadLetters({ metrics, log }: TopicIngest, deadLetters: readonly DeadLetter[]): void {
  for (const { record, reason, detail } of deadLetters) {
    const { topic, partition, offset } = record;
    metrics.deadLetters.inc({ reason });
    log.warn({ reason, detail, topic, partition, offset }, 'dead letter');
  }
}
