import { expect } from 'chai';
import fc from 'fast-check';
import { compareIds } from './id-order.ts';
import { SmallestIds } from './smallest-ids.ts';

const idsOf = (ids: readonly string[], limit: number, after?: string) => {
  const smallest = new SmallestIds<number>(limit, after);
  for (const id of ids) smallest.update(id, (known = 0) => known + 1);
  const { entries, isLast } = smallest.page();
  return { ids: entries.map(([id]) => id), isLast, counts: entries.map(([, count]) => count) };
};

describe('the smallest ids', () => {
  it('are the same for every order in which a scan finds them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 400 }),
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.string({ maxLength: 2 }), { nil: undefined }),
        (found, limit, after) => {
          const expected = [...new Set(found)]
            .filter((id) => after === undefined || compareIds(id, after) > 0)
            .sort(compareIds);
          const { ids, isLast } = idsOf(found, limit, after);
          expect(ids).to.deep.equal(expected.slice(0, limit));
          expect(isLast).to.equal(expected.length <= limit);
        },
      ),
    );
  });

  it('keep one entry for an id that a scan finds more than once', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `${String((i * 7) % 500).padStart(4, '0')}`);
    const { ids, counts, isLast } = idsOf(many, 3);
    expect(ids).to.deep.equal(['0000', '0001', '0002']);
    expect(counts).to.deep.equal([2, 2, 2]);
    expect(isLast).to.equal(false);
  });

  it('lead through all pages without a gap or a repetition', () => {
    const all = Array.from({ length: 300 }, (_, i) => `id-${i}`);
    const pages: string[] = [];
    for (let after: string | undefined; ; ) {
      const { ids, isLast } = idsOf(all, 7, after);
      pages.push(...ids);
      if (isLast) break;
      after = ids.at(-1);
    }
    expect(pages).to.deep.equal(all.toSorted(compareIds));
  });
});
