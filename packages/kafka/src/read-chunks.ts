import {
  openBatch,
  type UnreadableBatch,
  type UnreadableReason,
  unreadable,
  type WaitOptions,
} from './batch-content.ts';
import type { Fetched } from './fetch-response.ts';
import {
  type FetchedRecord,
  type RecordBatch,
  recordBytes,
  recordsOf,
  type SourceRecord,
} from './format/record-batch.ts';

/** A batch that cannot be read, in the form of one record whose value is the whole batch. */
export interface UnreadableRecord {
  record: SourceRecord;
  reason: UnreadableReason;
  detail: string;
}

/** Records that a consumer processes and commits together. */
export interface Chunk {
  records: FetchedRecord[];
  unreadable: UnreadableRecord[];
  /** The number of records that the chunk covers, including those in unreadable batches. */
  count: number;
  /** The total size of keys, values, headers and unreadable batches, in bytes. */
  bytes: number;
  /** When the consumer has finished the chunk, it has finished every record before this offset. */
  end: bigint;
  /**
   * The timestamps of the first and the last record, in epoch milliseconds. They are undefined if the chunk
   * is empty.
   */
  first?: number;
  last?: number;
}

const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/**
 * This number is small enough for frequent commits, even if Elasticsearch is slow. In a larger chunk, more
 * events for one listing would share one write.
 */
const MAX_CHUNK_RECORDS = 3_000;

/**
 * Reads fetched batches in chunks, in the order of the log. The reader decompresses a batch when it reaches
 * the batch's first record, and releases the memory after the chunk that contains the last record. The last
 * chunk ends at the end of the fetch and may be empty.
 * @throws the signal's reason if it aborts during a wait for memory
 */
export async function* readChunks(fetched: Fetched, options: WaitOptions): AsyncGenerator<Chunk> {
  let chunk = emptyChunk(fetched.from);
  for (const batch of fetched.batches) {
    if (batch.lastOffset < fetched.from) continue;
    const content = await openBatch(batch, options);
    if ('reason' in content) {
      addUnreadable(chunk, fetched, batch, content);
      continue;
    }
    try {
      // A large batch shares no chunk with other batches, so its memory is released as early as possible.
      if (content.isLarge && chunk.count > 0) {
        yield chunk;
        chunk = emptyChunk(chunk.end);
      }
      for (const record of recordsOrFault(batch, content.records, fetched)) {
        if ('reason' in record) {
          addUnreadable(chunk, fetched, batch, record);
          break;
        }
        const bytes = recordBytes(record);
        if (
          chunk.records.length === MAX_CHUNK_RECORDS ||
          (chunk.count > 0 && chunk.bytes + bytes > MAX_CHUNK_BYTES)
        ) {
          yield chunk;
          chunk = emptyChunk(chunk.end);
        }
        addRecord(chunk, record, bytes);
      }
      chunk.end = batch.lastOffset + 1n;
      if (content.isLarge) {
        yield chunk;
        chunk = emptyChunk(chunk.end);
      }
    } finally {
      content.release();
    }
  }
  chunk.end = fetched.end;
  yield chunk;
}

const emptyChunk = (end: bigint): Chunk => ({ records: [], unreadable: [], count: 0, bytes: 0, end });

/**
 * Yields the records in a batch, beginning at the requested offset. If the batch is damaged, the error
 * follows the readable records.
 */
function* recordsOrFault(
  batch: RecordBatch,
  records: Buffer,
  fetched: Fetched,
): Generator<FetchedRecord | UnreadableBatch> {
  try {
    for (const record of recordsOf(batch, records, fetched))
      if (BigInt(record.offset) >= fetched.from) yield record;
  } catch (error) {
    yield unreadable(
      'undecodable-batch',
      batch,
      `is damaged: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function addRecord(chunk: Chunk, record: FetchedRecord, bytes: number): void {
  chunk.records.push(record);
  chunk.count++;
  chunk.bytes += bytes;
  chunk.end = BigInt(record.offset) + 1n;
  chunk.first ??= record.timestamp;
  chunk.last = record.timestamp;
}

function addUnreadable(
  chunk: Chunk,
  { topic, partition }: Fetched,
  batch: RecordBatch,
  { reason, detail }: UnreadableBatch,
): void {
  const record = { topic, partition, offset: batch.baseOffset.toString(), key: null, value: batch.bytes };
  chunk.unreadable.push({ record, reason, detail });
  chunk.count += batch.count;
  chunk.bytes += batch.bytes.length;
  chunk.end = batch.lastOffset + 1n;
  chunk.first ??= batch.baseTimestamp;
  chunk.last = batch.maxTimestamp;
}
