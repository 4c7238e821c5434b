import type { Client } from '@elastic/elasticsearch';
import { type GenerationRecord, generationNames, type Registry } from '@vitrine/feed-index';
import { RULES } from '@vitrine/listing';
import { expect } from 'chai';
import type { CommandContext } from '../command-context.ts';
import { takeMarks } from './handover.ts';

const GOES_ON = new Error('reads a checkpoint');

const record = (number: number): GenerationRecord => ({
  number,
  phase: 'ready',
  versions: { states: 1, items: 4, changes: 2, rules: 1 },
  created_at: '2026-11-28T00:00:00Z',
  origin: { from: 'topic' },
  index_ids: { items: `items ${number}`, changes: `changes ${number}` },
});
const registry: Registry = { generations: [record(1), record(2)], last: 2 };

/** Takes the marks in a cluster in which these indices have another UUID, or are missing. */
async function take(replaced: readonly string[], missing: readonly string[] = []) {
  const warnings: string[] = [];
  const indices = [1, 2].flatMap((number) =>
    (['items', 'changes'] as const).map((kind) => {
      const name = generationNames('t', number)[kind];
      const uuid = replaced.includes(name) ? 'another' : `${kind} ${number}`;
      return [name, { settings: { 'index.uuid': uuid }, mappings: {}, aliases: {} }] as const;
    }),
  );
  const get = async ({ index }: { index: string[] }) =>
    Object.fromEntries(indices.filter(([name]) => index.includes(name) && !missing.includes(name)));
  const stats = async () => {
    throw GOES_ON;
  };
  const context = {
    client: { indices: { get, stats } } as unknown as Client,
    settings: { INDEX_PREFIX: 't' },
    log: { warn: (_: object, message: string) => warnings.push(message) },
    rules: RULES,
  } as unknown as CommandContext;
  const marks = await takeMarks(context, registry, 1, 2).catch((error: unknown) => error);
  return { marks, warnings };
}

describe('the marks of a handover', () => {
  it('are taken if the indices are those that Vitrine created', async () =>
    expect((await take([])).marks).to.equal(GOES_ON));

  for (const [title, replaced, missing] of [
    ['a changes index was restored', ['t-changes-1'], []],
    ['a changes index is missing', [], ['t-changes-1']],
    ['an items index is missing', [], ['t-items-2']],
  ] as const)
    it(`are not taken if ${title}, so that followers start over`, async () => {
      const { marks, warnings } = await take(replaced, missing);
      expect(marks).to.equal(undefined);
      expect(warnings.join()).to.include('followers of the changes have to start over');
    });
});
