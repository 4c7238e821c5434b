import { isUtf8 } from 'node:buffer';
import { SourceError } from './source-error.ts';
import { type SourceLine, toSourceLine } from './source-line.ts';

const NEWLINE = 0x0a;
/**
 * An event has at most 1 MiB, but an escape in JSON takes more bytes than the character that it represents.
 */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Reads JSON lines. Each batch has the lines that end in one chunk. Skips empty lines.
 * @throws SourceError that names the line
 */
export async function* readJsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceLine[]> {
  let number = 0;
  let rest: Buffer[] = [];
  let held = 0;
  const parse = (bytes: Buffer): SourceLine[] => {
    number++;
    return parseLine(number, bytes);
  };
  for await (const chunk of chunks) {
    const batch: SourceLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      batch.push(...parse(rest.length > 0 ? Buffer.concat([...rest, piece]) : piece));
      if (rest.length > 0) rest = [];
      held = 0;
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > MAX_LINE_BYTES)
      throw new SourceError(number + 1, `has more than ${MAX_LINE_BYTES / 1024 / 1024} MiB`);
    yield batch;
  }
  if (held > 0) yield parse(Buffer.concat(rest));
}

function parseLine(number: number, bytes: Buffer): SourceLine[] {
  if (!isUtf8(bytes)) throw new SourceError(number, 'is not UTF-8');
  const text = bytes.toString();
  if (text.trim() === '') return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    // COPY in its text format writes each backslash twice.
    const hint = text.includes('\\\\') ? '. COPY doubles backslashes: write JSON with psql -At -c' : '';
    throw new SourceError(number, `is not JSON: ${(error as Error).message}${hint}`);
  }
  return [toSourceLine(number, parsed)];
}
