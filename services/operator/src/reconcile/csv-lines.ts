import { isUtf8 } from 'node:buffer';
import { type CsvError, Parser } from 'csv-parse';
import { cellValue } from './csv-cell.ts';
import { MAX_LINE_BYTES } from './json-lines.ts';
import { SourceError } from './source-error.ts';
import { checkNames, fromRecord, type SourceLine } from './source-line.ts';

type Cell = readonly [text: string, quoted: boolean];
interface Row {
  record: Cell[];
  info: { lines: number };
}

/**
 * Reads CSV with a header line, as `COPY … TO STDOUT (FORMAT csv, HEADER)` writes it. A row may span several
 * lines, and its number is that of its last line.
 * @throws SourceError that names the line
 */
export async function* readCsvLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceLine[]> {
  const parser = new Parser({
    info: true,
    max_record_size: MAX_LINE_BYTES,
    skip_empty_lines: true,
    // Only the cast knows whether a cell had quotes.
    cast: ((text: string, { quoting }: { quoting: boolean }): Cell => [text, quoting]) as never,
  });
  let columns: string[] | undefined;
  const toLines = (rows: Row[]): SourceLine[] =>
    rows.flatMap(({ record, info }) => {
      if (columns) return fromRecord(info.lines, toRecord(info.lines, columns, record));
      columns = record.map(([name]) => name.trim());
      checkNames(info.lines, columns);
      return [];
    });
  const decoder = new Utf8Check();
  for await (const chunk of chunks) {
    decoder.check(chunk);
    await written(parser, chunk);
    yield toLines(taken(parser));
  }
  decoder.end();
  await ended(parser);
  yield toLines(taken(parser));
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
