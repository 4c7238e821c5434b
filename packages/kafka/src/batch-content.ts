import PQueue from 'p-queue';
import { codecName, decompress, OverLimitError } from './format/codecs.ts';
import { HEADER_BYTES, MESSAGE_FORMAT, type RecordBatch } from './format/record-batch.ts';

export const UNREADABLE_REASONS = ['batch-too-large', 'undecodable-batch'] as const;
export type UnreadableReason = (typeof UNREADABLE_REASONS)[number];

const MEBIBYTE = 1024 * 1024;

/** The memory limit per batch. It applies to the decompressed bytes plus `RECORD_BYTES` per record. */
const MAX_BATCH_BYTES = 64 * MEBIBYTE;
/** The memory overhead per record, because each record in a batch may become a separate dead letter. */
const RECORD_BYTES = 400;
/** Consumers decompress batches up to this size in parallel. They decompress larger batches one at a time. */
const SMALL_BATCH_BYTES = 8 * MEBIBYTE;

/** There is one queue per process, because all consumers share the process's memory. */
const largeBatches = new PQueue({ concurrency: 1 });
const TELL_EVERY_MS = 1_000;

/** The decompressed records of a batch, valid until the caller calls `release`. */
interface BatchContent {
  records: Buffer;
  /** Whether the batch is large. A large batch delays other large batches until its release. */
  isLarge: boolean;
  release(): void;
}

export interface UnreadableBatch {
  reason: UnreadableReason;
  detail: string;
}

export interface WaitOptions {
  signal: AbortSignal;
  /** This function is called every second while another large batch occupies the memory. */
  onWait(): void;
}

/**
 * Decompresses a batch within the memory limit of docs/decisions/0030. Checks the record count in the header
 * against the limit before it decodes any record.
 * @throws the signal's reason
 */
export async function openBatch(
  batch: RecordBatch,
  options: WaitOptions,
): Promise<BatchContent | UnreadableBatch> {
  if (batch.magic !== MESSAGE_FORMAT)
    return unreadable(
      'undecodable-batch',
      batch,
      `uses message format ${batch.magic} from before Kafka 0.11`,
    );
  const limit = MAX_BATCH_BYTES - Math.max(0, batch.count) * RECORD_BYTES;
  const compressed = batch.bytes.subarray(HEADER_BYTES);
  const tooLarge = () =>
    unreadable('batch-too-large', batch, `would need more than ${MAX_BATCH_BYTES / MEBIBYTE} MiB of memory`);
  if (limit < 0 || (batch.codec === 0 && compressed.length > limit)) return tooLarge();
  if (batch.codec === 0) return { records: compressed, isLarge: false, release: () => undefined };
  const read = async (bytes: number): Promise<Buffer | undefined> => {
    try {
      return await decompress(batch.codec, compressed, bytes);
    } catch (error) {
      if (error instanceof OverLimitError) return undefined;
      throw error;
    }
  };
  let release: () => void = () => undefined;
  try {
    const small = await read(Math.min(limit, SMALL_BATCH_BYTES));
    if (small) return { records: small, isLarge: false, release };
    if (limit <= SMALL_BATCH_BYTES) return tooLarge();
    release = await turnOfLargeBatch(options);
    const large = await read(limit);
    if (large) return { records: large, isLarge: true, release };
    release();
    return tooLarge();
  } catch (error) {
    release();
    options.signal.throwIfAborted();
    return unreadable(
      'undecodable-batch',
      batch,
      `cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Waits for a large batch's turn. @returns the function that ends the turn */
async function turnOfLargeBatch({ signal, onWait }: WaitOptions): Promise<() => void> {
  const turn = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  largeBatches
    .add(
      () => {
        turn.resolve();
        return end.promise;
      },
      { signal },
    )
    .catch(turn.reject);
  const telling = setInterval(onWait, TELL_EVERY_MS);
  try {
    await turn.promise;
  } finally {
    clearInterval(telling);
  }
  return end.resolve;
}

/**
 * Describes the dead letter for a whole batch.
 * @param why the predicate of the sentence that describes the batch
 */
export function unreadable(
  reason: UnreadableReason,
  { baseOffset, lastOffset, count, codec, bytes }: RecordBatch,
  why: string,
): UnreadableBatch {
  const batch =
    `a batch of ${count} records (offsets ${baseOffset} to ${lastOffset}, ` +
    `${codecName(codec)}, ${bytes.length} bytes)`;
  return {
    reason,
    detail: `${batch} ${why}. The value of this dead letter is the whole batch, unchanged`,
  };
}
