import { HEADER_BYTES, type RecordBatch, recordsOf } from './record-batch.ts';

/** An aborted transaction with records in a fetched range, according to the broker. */
export interface AbortedTransaction {
  producerId: bigint;
  /** Offset of its first record. The offset may precede the fetched range. */
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
