import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_LINE_BYTES } from './json-lines.ts';
import { readSource } from './read-source.ts';
import type { SourceLine } from './source-line.ts';

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function read(text: string | Buffer, size = 64 * 1024): Promise<SourceLine[]> {
  const lines: SourceLine[] = [];
  for await (const batch of readSource(inChunks(Buffer.from(text as string), size))) lines.push(...batch);
  return lines;
}
const failureOf = (text: string | Buffer, size?: number): Promise<string> =>
  read(text, size).then(
    () => 'no error',
    (error: Error) => `${error.name}: ${error.message}`,
  );
const pairs = (lines: SourceLine[]) => lines.map(({ line, id }) => [line, id]);

describe('the source', () => {
  it('is JSON lines or CSV, with CRLF, empty lines, a byte-order mark and no last newline', async () => {
    expect(pairs(await read('{"id":"a"}\r\n\n{"id":"b"}'))).to.deep.equal([
      [1, 'a'],
      [3, 'b'],
    ]);
    expect(pairs(await read('\ufeffid,price\r\na,1\r\nb,2'))).to.deep.equal([
      [2, 'a'],
      [3, 'b'],
    ]);
    expect(await read('id,title\n')).to.deep.equal([]);
  });

  it('distinguishes the NULL of COPY from an empty text, and reads quotes, newlines and JSON', async () => {
    const csv = 'id,title,description,price,images\na,,"",1.50,"[""x""]"\nb,"say ""hi""\nthere",x,NaN,\n';
    const [first, second] = await read(csv);
    expect(first?.members).to.deep.equal({ title: null, description: '', price: 1.5, images: ['x'] });
    expect(second?.members).to.deep.equal({
      title: 'say "hi"\nthere',
      description: 'x',
      price: 'NaN',
      images: null,
    });
  });

  it('reads the text of a timestamptz', async () => {
    const [line] = await read('id,published_at\na,2026-01-02 03:04:05.678-03\n');
    expect(line?.members.published_at).to.equal('2026-01-02T03:04:05.678-03:00');
  });

  it('is read equally in chunks of any size', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }), { maxLength: 6 }),
        fc.string({ unit: 'grapheme', maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (ids, title, size, asCsv) => {
          const sorted = ids.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const text = asCsv
            ? `id,title\n${sorted.map((id) => `${cell(id)},${cell(title)}\n`).join('')}`
            : sorted.map((id) => `${JSON.stringify({ id, title })}\n`).join('');
          if (text === '') return;
          const lines = await read(text, size);
          expect(lines.map(({ id }) => id)).to.deep.equal(sorted);
          for (const { members } of lines) expect(members.title).to.equal(title);
        },
      ),
    ));

  it('keeps NUL, lone surrogates and a line of 1 MB', async () => {
    const title = `${'x'.repeat(1024 * 1024)}\0\ud800`;
    const [line] = await read(`${JSON.stringify({ id: 'a', title })}\n`, 1_000);
    expect(line?.members.title).to.equal(title);
    const [row] = await read(`id,title\na,${'x'.repeat(1024 * 1024)}\0\n`, 1_000);
    expect(row?.members.title).to.have.length(1024 * 1024 + 1);
  });

  it('names the first damaged line', async () => {
    const bad = (before: string) => Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0x0a])]);
    for (const [source, message] of [
      ['', 'SourceError: the source is empty'],
      [' \n', 'SourceError: the source is empty'],
      ['[{"id":"a"}]', 'line 1 of the source begins an array'],
      ['{"id":"a"}\n{"id":', 'line 2 of the source is not JSON'],
      [bad('{"id":"a"}\n{"id":"b"}'), 'line 2 of the source is not UTF-8'],
      [bad('id\na\nb'), 'line 3 of the source is not UTF-8'],
      ['id,colour\n', 'line 1 of the source names "colour"'],
      ['id,id\n', 'line 1 of the source names a column twice'],
      ['id,title\na\n', 'line 2 of the source is not valid CSV'],
      ['id,title\na,"b\n', 'line 2 of the source is not valid CSV'],
      ['id,images\na,{x}\n', 'line 2 of the source has invalid JSON in the column images'],
      ['id,version\na,x\n', 'line 2 of the source has a version'],
      ['id,title\n,x\n', 'line 2 of the source has an id'],
    ] as const)
      expect(await failureOf(source), message).to.contain(message);
  });

  it('refuses a line that is too long, in bounded memory', async () => {
    const long = 'x'.repeat(MAX_LINE_BYTES + 1);
    for (const start of ['{"id":"', 'id,title\na,"'])
      expect(await failureOf(`${start}${long}`)).to.contain('has more than 4 MiB');
    expect(await failureOf(`id,title\na,"${'x\n'.repeat(MAX_LINE_BYTES / 2)}`)).to.contain('not valid CSV');
  });

  it('must be in the byte order of UTF-8, in which no id repeats', async () => {
    const json = (...ids: string[]) => ids.map((id) => `${JSON.stringify({ id })}\n`).join('');
    // JavaScript's own order, which compares UTF-16 units, is the opposite.
    expect(pairs(await read(json('\u{ff21}', '\u{1f600}')))).to.have.length(2);
    expect(await failureOf(json('\u{1f600}', '\u{ff21}'))).to.contain(
      'line 2 of the source is not in ascending byte order',
    );
    expect(await failureOf(json('a', 'b', 'b'))).to.contain('line 3 of the source repeats the id of line 2');
    expect(await failureOf('id\nb\na\n')).to.contain('ORDER BY id COLLATE "C"');
  });
});
