import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { IdCursor } from './id-cursor.ts';
import { SortedRecords } from './sorted-records.ts';

describe('records that are sorted in files', () => {
  let folder: string;
  let files = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sorted-'));
  });
  after(() => rm(folder, { recursive: true }));
  const sorted = async (batches: string[][], runCharacters?: number) => {
    const records = new SortedRecords<[string, number]>(folder, `f${files++}`, runCharacters);
    for (const batch of batches) await records.add(batch.map((id, i): [string, number] => [id, i]));
    return records;
  };
  const idsOf = async (records: SortedRecords<[string, number]>) => {
    const ids: string[] = [];
    for await (const page of records.pages()) ids.push(...page.map(([id]) => id));
    return ids;
  };
  const inByteOrder = (ids: string[]) =>
    ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

  it('have the byte order of their ids, in one run or in several', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 3 }), { maxLength: 5 }), { maxLength: 5 }),
        fc.constantFrom(1, undefined),
        async (batches, characters) => {
          expect(await idsOf(await sorted(batches, characters))).to.deep.equal(inByteOrder(batches.flat()));
        },
      ),
      { numRuns: 30 },
    ));

  it('are merged in several rounds if there are many runs', async () => {
    const ids = Array.from({ length: 70 }, (_, i) => `id-${(i * 37) % 70}\n"`);
    expect(
      await idsOf(
        await sorted(
          ids.map((id) => [id]),
          1,
        ),
      ),
    ).to.deep.equal(inByteOrder(ids));
  });

  it('answer whether they contain an id', async () => {
    const cursor = new IdCursor((await sorted([['b', 'd', 'd'], ['a']], 1)).pages());
    const answers: boolean[] = [];
    for (const id of ['a', 'aa', 'b', 'c', 'd', 'd', 'e', 'f']) answers.push(await cursor.has(id));
    expect(answers).to.deep.equal([true, false, true, false, true, true, false, false]);
    await cursor.close();
  });
});
