import { expect } from 'chai';
import fc from 'fast-check';
import type { HashedItem } from './item-scan.ts';
import { mergeItems } from './merge-items.ts';

async function* inPages(items: HashedItem[], size: number): AsyncGenerator<HashedItem[]> {
  yield [];
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

const inOrder = (items: HashedItem[]): HashedItem[] =>
  items.toSorted((a, b) => b.published - a.published || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));

const market = fc.uniqueArray(
  fc.record({
    id: fc.string({ unit: 'grapheme', maxLength: 2 }),
    published: fc.integer({ min: 0, max: 3 }),
    hash: fc.constantFrom('x', 'y'),
  }),
  { selector: ({ id }) => id, maxLength: 30 },
);

describe('merging two scans', () => {
  it('reports exactly the ids of unequal items, and counts the others', () =>
    fc.assert(
      fc.asyncProperty(market, market, fc.integer({ min: 1, max: 5 }), async (first, second, size) => {
        const told = new Set<string>();
        const merged = await mergeItems(
          inPages(inOrder(first), size),
          inPages(inOrder(second), size),
          (id) => told.add(id),
          () => undefined,
        );
        const others = new Map(second.map((item) => [item.id, item]));
        const same = first.filter(
          ({ id, hash, published }) =>
            others.get(id)?.hash === hash && others.get(id)?.published === published,
        );
        const sameIds = new Set(same.map(({ id }) => id));
        expect(merged).to.deep.equal({ first: first.length, second: second.length, equal: same.length });
        expect([...told].sort()).to.deep.equal(
          [...new Set([...first, ...second].map(({ id }) => id))].filter((id) => !sameIds.has(id)).sort(),
        );
      }),
      { numRuns: 300 },
    ));

  it('fails when a scan fails', async () => {
    async function* broken(): AsyncGenerator<HashedItem[]> {
      yield [{ id: 'a', published: 1, hash: 'x' }];
      throw new Error('gone');
    }
    const failure = await mergeItems(
      broken(),
      inPages([], 1),
      () => undefined,
      () => undefined,
    ).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).to.equal('gone');
  });
});
