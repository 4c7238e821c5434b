import { HEADER_BYTES, type RecordBatch, recordsOf } from './record-batch.ts';

/** An aborted transaction with records in a fetched range, as the broker lists them. */
export interface AbortedTransaction {
  producerId: bigint;
  /** Offset of its first record; may lie before the fetched range. */
  firstOffset: bigint;
}

/** The key of a control record: a version, and the type 0 for an abort. */
const ABORT_MARKER = Buffer.from([0, 0, 0, 0]);

/**
 * The batches that a consumer may read: no control batches, and none of aborted transactions. Batches in
 * the order of the log; transactions in the order of their first offsets. Pure.
 */
export function withoutAborted(batches: readonly RecordBatch[], aborted: readonly AbortedTransaction[]): Set<RecordBatch> {
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
