import type { CompleteItem } from '../stored/complete-item.ts';

export const EXPORT_TYPE = 'application/x-ndjson';

/** A piece is small enough for a slow client to read it within the time that the service waits. */
const PIECE_BYTES = 64 * 1024;
const LINE_END = Buffer.from('\n');

/**
 * Serializes items as lines, in pieces of about 64 KiB. An item document contains no line breaks outside
 * strings.
 */
export async function* exportLines(slices: AsyncIterable<readonly CompleteItem[]>): AsyncGenerator<Buffer> {
  for await (const items of slices) {
    let lines: Buffer[] = [];
    let bytes = 0;
    for (const { data } of items) {
      for (const part of [...data, LINE_END]) {
        lines.push(part);
        bytes += part.length;
      }
      if (bytes < PIECE_BYTES) continue;
      yield* pieces(Buffer.concat(lines, bytes));
      [lines, bytes] = [[], 0];
    }
    if (bytes > 0) yield* pieces(Buffer.concat(lines, bytes));
  }
}

/** Cuts lines into pieces, because the line of a very large item can exceed one piece. */
function* pieces(lines: Buffer): Generator<Buffer> {
  for (let at = 0; at < lines.length; at += PIECE_BYTES) yield lines.subarray(at, at + PIECE_BYTES);
}
