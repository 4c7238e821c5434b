import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type InfoRecord, Parser } from 'csv-parse';
import { cellValue } from './csv-cell.ts';
import { MAX_LINE_BYTES } from './json-lines.ts';
import { SourceError } from './source-error.ts';
import { checkNames, fromRecord, type SourceLine } from './source-line.ts';

type Cell = readonly [text: string, quoted: boolean];
interface Row {
  record: Cell[];
  info: InfoRecord;
}

/** An option for every stream. Long rows from several chunks would not fit in memory. */
const ONE_CHUNK: object = { readableHighWaterMark: 1 };
const NEWLINE = 0x0a;
const ROWS_PER_BATCH = 500;
const BYTES_PER_BATCH = 512 * 1024;

/**
 * Reads CSV with a header line, as `COPY … TO STDOUT (FORMAT csv, HEADER)` writes it. A row may span several
 * lines, and its number is that of its last line.
 * @throws SourceError that names the line
 */
export async function* readCsvLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceLine[]> {
  const parser = new Parser({
    ...ONE_CHUNK,
    info: true,
    max_record_size: MAX_LINE_BYTES,
    skip_empty_lines: true,
    // Only the cast knows whether a cell had quotes.
    cast: ((text: string, { quoting }: { quoting: boolean }): Cell => [text, quoting]) as never,
  });
  // The loop below receives the error from either stream.
  pipeline(Readable.from(wholeLines(chunks), { objectMode: false }), parser, () => undefined);
  let columns: string[] | undefined;
  let batch: SourceLine[] = [];
  let begin = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      if (!columns) {
        columns = record.map(([name]) => name);
        checkNames(info.lines, columns);
        continue;
      }
      batch.push(fromRecord(info.lines, toRecord(info.lines, columns, record)));
      if (batch.length < ROWS_PER_BATCH && info.bytes - begin < BYTES_PER_BATCH) continue;
      yield batch;
      batch = [];
      begin = info.bytes;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new SourceError(Number(error.lines), `is not valid CSV: ${error.message}`);
  }
  yield batch;
}

function toRecord(line: number, columns: readonly string[], cells: readonly Cell[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) {
    const [text, quoted] = cells[i] as Cell;
    const column = columns[i] as string;
    record[column] = cellValue(line, column, text, quoted);
  }
  return record;
}

/** Splits chunks after lines, because the parser replaces bytes that are not UTF-8 without an error. */
async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let before = 0;
  const checked = (bytes: Buffer): Buffer => {
    if (!isUtf8(bytes)) throw new SourceError(before + firstBadLine(bytes), 'is not UTF-8');
    before += count(bytes, NEWLINE);
    return bytes;
  };
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield checked(Buffer.concat([rest, chunk.subarray(0, end)]));
    rest = end > 0 ? chunk.subarray(end) : Buffer.concat([rest, chunk]);
    if (rest.length > MAX_LINE_BYTES)
      throw new SourceError(before + 1, `has more than ${MAX_LINE_BYTES / 1024 / 1024} MiB`);
  }
  yield checked(rest);
}

function count(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) found++;
  return found;
}

function firstBadLine(bytes: Buffer): number {
  let from = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(NEWLINE, from);
    if (end === -1 || !isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
  }
}
