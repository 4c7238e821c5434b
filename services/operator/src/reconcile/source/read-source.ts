import { compareIds } from '../files/compare-ids.ts';
import { readCsvLines } from './csv-lines.ts';
import { readJsonLines } from './json-lines.ts';
import { SourceError } from './source-error.ts';
import type { SourceLine } from './source-line.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const WHITE_SPACE = /^[\s]*/;
/** This is enough for a byte-order mark and some empty lines. */
const START_BYTES = 64;

/**
 * Reads a source in ascending byte order of id: JSON lines if it begins with `{`, otherwise CSV with a header
 * line.
 * @throws SourceError that names the first line that is damaged, repeated or not in order
 */
export async function* readSource(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceLine[]> {
  const { start, all } = await beginning(chunks);
  const first = start.toString('latin1').replace(WHITE_SPACE, '')[0];
  if (first === undefined)
    throw new SourceError(
      undefined,
      'the source is empty, so its dump may have failed. A source without listings is CSV with a header line',
    );
  if (first === '[') throw new SourceError(1, 'begins an array. Write one object per line');
  let previous: SourceLine | undefined;
  for await (const lines of first === '{' ? readJsonLines(all) : readCsvLines(all)) {
    for (const line of lines) {
      if (previous) checkOrder(previous, line);
      previous = line;
    }
    yield lines;
  }
}

function checkOrder(previous: SourceLine, { line, id }: SourceLine): void {
  const order = compareIds(previous.id, id);
  if (order === 0)
    throw new SourceError(line, `repeats the id of line ${previous.line}: ${JSON.stringify(id)}`);
  if (order > 0)
    throw new SourceError(
      line,
      `is not in ascending byte order: ${JSON.stringify(id)} follows ${JSON.stringify(previous.id)}. ` +
        'Sort with ORDER BY id COLLATE "C"',
    );
}

/** Reads chunks until the first character is known, and removes a byte-order mark. */
async function beginning(
  chunks: AsyncIterable<Buffer>,
): Promise<{ start: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < START_BYTES) {
    const { done, value } = await iterator.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  if (start.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
    start = start.subarray(BYTE_ORDER_MARK.length);
  return { start, all: startingWith(start, iterator) };
}

async function* startingWith(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield start;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
