import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type { Batch } from 'kafkajs';
import { type AbortedTransaction, withoutAborted } from './aborted-transactions.ts';
import { ByteReader } from './byte-reader.ts';
import { type RecordBatch, recordBatches } from './record-batch.ts';

/** What kafkajs sees of a record batch: one message at the batch's last offset, so that nothing is decoded. */
interface BatchMessage {
  offset: string;
  key: null;
  value: null;
  headers: Record<string, never>;
  /** kafkajs passes over control records, and still moves on behind them. */
  isControlRecord: boolean;
  recordBatch: RecordBatch;
}

interface FetchProtocol {
  decode(response: Buffer): Promise<unknown>;
}

/** The newest version that kafkajs 2 speaks. Every broker since Kafka 2.3 speaks it too. */
const FETCH_V11 = 'kafkajs/src/protocol/requests/fetch/v11/response.js';
const inLazyConsumer = new AsyncLocalStorage<true>();

/*
 * kafkajs decodes every record of a fetch at once, about 300 bytes of heap for each, and has no hook before
 * that for batches that are not compressed. docs/decisions/0030 explains why its decoder is replaced here.
 */
const protocol = createRequire(import.meta.url)(FETCH_V11) as FetchProtocol;
const decodeAll = protocol.decode;
protocol.decode = async (response) => (inLazyConsumer.getStore() ? decodeFetchResponse(response) : decodeAll(response));

/** Runs a kafkajs consumer whose batches must be read by `fetchedBatches`. */
export const runLazily = <T>(run: () => Promise<T>): Promise<T> => inLazyConsumer.run(true, run);

/** Record batches of one partition, from one fetch. */
export interface Fetched {
  topic: string;
  partition: number;
  /** The offset that was asked for: a batch may begin before it. */
  from: bigint;
  batches: readonly RecordBatch[];
  /** The offset after the last batch. */
  end: bigint;
}

/**
 * The record batches of what kafkajs hands over as one batch; control batches and aborted ones are left out.
 * @throws Error when the broker is older than Kafka 2.3
 */
export function fetchedBatches(batch: Batch): Fetched {
  const { topic, partition } = batch;
  const { fetchedOffset } = batch as Batch & { fetchedOffset: string };
  const batches = batch.messages.map((message) => {
    const { recordBatch } = message as Partial<BatchMessage>;
    if (!recordBatch) throw new Error('the broker does not speak version 11 of fetch: Kafka 2.3 or newer is needed');
    return recordBatch;
  });
  return { topic, partition, from: BigInt(fetchedOffset), batches, end: BigInt(batch.lastOffset()) + 1n };
}

/** Fetch response, version 11, in the form that kafkajs expects; errors of partitions are left to kafkajs. */
function decodeFetchResponse(response: Buffer) {
  const reader = new ByteReader(response);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses = reader.array(() => ({ topicName: reader.string(), partitions: reader.array(() => decodePartition(reader)) }));
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

function decodePartition(reader: ByteReader) {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const highWatermark = reader.int64().toString();
  const lastStableOffset = reader.int64().toString();
  const lastStartOffset = reader.int64().toString();
  const aborted = reader.array((): AbortedTransaction => ({ producerId: reader.int64(), firstOffset: reader.int64() }));
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
  // Aborted transactions are out already: kafkajs looks for them record by record.
  return { partition, errorCode, highWatermark, lastStableOffset, lastStartOffset, abortedTransactions: [], preferredReadReplica, messages };
}
