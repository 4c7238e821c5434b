import { createRequire } from 'node:module';
import type { Batch } from 'kafkajs';
import { ByteReader } from './format/byte-reader.ts';
import { HEADER_BYTES, type RecordBatch, recordBatches, recordsOf } from './format/record-batch.ts';

/**
 * A record batch in the form that kafkajs expects: one message at the last offset of the batch. The records
 * stay encoded.
 */
interface BatchMessage {
  offset: string;
  key: null;
  value: null;
  headers: Record<string, never>;
  /** kafkajs does not deliver control records, but still advances past them. */
  isControlRecord: boolean;
  recordBatch: RecordBatch;
}

interface FetchProtocol {
  decode(response: Buffer): Promise<unknown>;
}

/** The newest version that kafkajs 2 supports. Every broker since Kafka 2.3 supports it too. */
const FETCH_V11 = 'kafkajs/src/protocol/requests/fetch/v11/response.js';

/*
 * kafkajs decodes all records of a fetch at once, which takes about 300 bytes of heap per record. It has no
 * earlier hook for uncompressed batches. docs/decisions/0030 explains why this file replaces the decoder.
 */
const protocol = createRequire(import.meta.url)(FETCH_V11) as FetchProtocol;
protocol.decode = async (response) => decodeFetchResponse(response);

export interface Fetched {
  topic: string;
  partition: number;
  /** The requested offset. A batch may begin before this offset. */
  from: bigint;
  batches: readonly RecordBatch[];
  end: bigint;
}

/**
 * Extracts the record batches from a kafkajs batch, except control batches and aborted batches.
 * @throws Error if the broker is older than Kafka 2.3
 */
export function fetchedBatches(batch: Batch): Fetched {
  const { topic, partition } = batch;
  const { fetchedOffset } = batch as Batch & { fetchedOffset: string };
  const batches = batch.messages.map((message) => {
    const { recordBatch } = message as Partial<BatchMessage>;
    if (!recordBatch)
      throw new Error('the broker does not support fetch version 11. Upgrade to Kafka 2.3 or newer');
    return recordBatch;
  });
  return { topic, partition, from: BigInt(fetchedOffset), batches, end: BigInt(batch.lastOffset()) + 1n };
}

/**
 * Decodes a version 11 fetch response into the form that kafkajs expects. kafkajs handles partition errors.
 *
 *     Response  => throttle_time_ms:INT32 error_code:INT16 session_id:INT32 [Topic]
 *     Topic     => name:STRING [Partition]
 *
 * An array consists of an INT32 with its length and the items. A STRING consists of an INT16 with its length
 * and UTF-8. (Kafka protocol guide, "Fetch API".)
 */
function decodeFetchResponse(response: Buffer) {
  const reader = new ByteReader(response);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses = reader.array(() => ({
    topicName: reader.string(),
    partitions: reader.array(() => decodePartition(reader)),
  }));
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

/**
 *     Partition => index:INT32 error_code:INT16 high_watermark:INT64 last_stable_offset:INT64
 *                  log_start_offset:INT64 [Aborted] preferred_read_replica:INT32 length:INT32 records
 *     Aborted   => producer_id:INT64 first_offset:INT64
 */
function decodePartition(reader: ByteReader) {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const highWatermark = reader.int64().toString();
  const lastStableOffset = reader.int64().toString();
  const lastStartOffset = reader.int64().toString();
  const aborted = reader.array(
    (): AbortedTransaction => ({ producerId: reader.int64(), firstOffset: reader.int64() }),
  );
  const preferredReadReplica = reader.int32();
  const batches = recordBatches(reader.bytes(reader.int32()) ?? Buffer.alloc(0));
  const readable = withoutAborted(batches, aborted);
  const messages = batches.map(
    (recordBatch): BatchMessage => ({
      offset: recordBatch.lastOffset.toString(),
      key: null,
      value: null,
      headers: {},
      isControlRecord: !readable.has(recordBatch),
      recordBatch,
    }),
  );
  // This function has already removed aborted transactions. Otherwise, kafkajs would search for them record
  // by record.
  return {
    partition,
    errorCode,
    highWatermark,
    lastStableOffset,
    lastStartOffset,
    abortedTransactions: [],
    preferredReadReplica,
    messages,
  };
}

/** An aborted transaction that has records in a fetched range, according to the broker. */
interface AbortedTransaction {
  producerId: bigint;
  /** The offset of the transaction's first record. It may precede the fetched range. */
  firstOffset: bigint;
}

/** Key of a control record => version:INT16 type:INT16. An abort marker has version 0 and type 0. */
const ABORT_MARKER = Buffer.from([0, 0, 0, 0]);

/**
 * Selects the batches that a consumer may read. Omits control batches and batches of aborted transactions.
 * Pure.
 * @param batches in the order of the log
 * @param aborted in any order
 */
export function withoutAborted(
  batches: readonly RecordBatch[],
  aborted: readonly AbortedTransaction[],
): Set<RecordBatch> {
  const begun = [...aborted].sort((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1));
  const aborting = new Set<bigint>();
  const readable = new Set<RecordBatch>();
  for (const batch of batches) {
    for (let first = begun[0]; first && first.firstOffset <= batch.lastOffset; first = begun[0]) {
      aborting.add(first.producerId);
      begun.shift();
    }
    if (batch.isControl) {
      if (isAbortMarker(batch)) aborting.delete(batch.producerId);
    } else if (!batch.isTransactional || !aborting.has(batch.producerId)) readable.add(batch);
  }
  return readable;
}

function isAbortMarker(batch: RecordBatch): boolean {
  const [marker] = recordsOf(batch, batch.bytes.subarray(HEADER_BYTES), { topic: '', partition: 0 });
  return marker?.key?.equals(ABORT_MARKER) ?? false;
}
