import { expect } from 'chai';
import fc from 'fast-check';
import type { HeldListing, HeldRecord } from './held-listings.ts';
import { heldListings } from './held-listings.ts';
import { mergeSource } from './merge-source.ts';
import type { SourceLine } from './source/source-line.ts';

async function* inPages<T>(all: readonly T[], size: number): AsyncGenerator<T[]> {
  yield [];
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

const ids = fc
  .uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }), { maxLength: 20 })
  .map((all) => all.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
const size = fc.integer({ min: 1, max: 5 });

describe('the merge of the source with the feed', () => {
  it('finds what a comparison in memory finds, in order', () =>
    fc.assert(
      fc.asyncProperty(ids, ids, size, size, async (named, known, linesPerBatch, listingsPerPage) => {
        const lines = named.map((id, i): SourceLine => ({ line: i + 1, id, members: {} }));
        const listings = known.map((id): HeldListing => ({ id }));
        const found: [string, string][] = [];
        const read = await mergeSource(inPages(lines, linesPerBatch), inPages(listings, listingsPerPage), {
          line: ({ id }, held) => {
            if (held) expect(held.id).to.equal(id);
            found.push([id, held ? 'both' : 'source']);
          },
          unnamed: ({ id }) => found.push([id, 'feed']),
          batch: async () => undefined,
        });
        const [source, feed] = [new Set(named), new Set(known)];
        const naive = [...source.union(feed)]
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
          .map((id) => [id, !feed.has(id) ? 'source' : source.has(id) ? 'both' : 'feed']);
        expect(found).to.deep.equal(naive);
        expect(read).to.equal(named.length);
      }),
    ));

  it('lets the visitor finish each page of listings, however many precede one line', async () => {
    const listings = Array.from({ length: 10 }, (_, i): HeldListing => ({ id: `a${i}` }));
    const pages: string[][] = [[]];
    await mergeSource(inPages([{ line: 1, id: 'b', members: {} }], 1), inPages(listings, 2), {
      line: () => undefined,
      unnamed: ({ id }) => pages.at(-1)?.push(id),
      batch: async () => void pages.push([]),
    });
    expect(Math.max(...pages.map(({ length }) => length))).to.equal(2);
  });

  it('joins the state and the item of a listing, even across pages', async () => {
    const records: HeldRecord[] = [
      ['a', 'i', ['x']],
      ['a', 's', 3, null],
      ['b', 's', [1, 2], 'price'],
      ['c', 'i', ['y']],
    ];
    for (const size of [1, 2, 3, 4]) {
      const joined: HeldListing[] = [];
      for await (const page of heldListings({ pages: () => inPages(records, size) })) joined.push(...page);
      expect(joined).to.deep.equal([
        { id: 'a', item: ['x'], state: { highest: 3, hidden: null } },
        { id: 'b', state: { highest: [1, 2], hidden: 'price' } },
        { id: 'c', item: ['y'] },
      ]);
    }
  });
});
