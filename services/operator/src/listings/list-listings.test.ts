import { expect } from 'chai';
import { allPages } from './list-listings.ts';
import type { PageQuery } from './listed.ts';

describe('all pages of a list', () => {
  it('begin after the given id, and each page continues the one before', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const asked: PageQuery[] = [];
    const read = async (page: PageQuery) => {
      asked.push(page);
      const left = ids.filter((id) => page.after === undefined || id > page.after);
      const shown = left.slice(0, page.limit);
      const next = left.length > shown.length ? shown.at(-1) : undefined;
      return { listings: shown.map((id) => ({ id, detail: '' })), total: 6, ...(next && { next }) };
    };
    const pagesOf = async (limit: number, after?: string) => {
      const pages: string[][] = [];
      for await (const { listings } of allPages(read, limit, after)) pages.push(listings.map(({ id }) => id));
      return pages;
    };
    expect(await pagesOf(2, 'a')).to.deep.equal([['b', 'c'], ['d', 'e'], ['f']]);
    expect(asked).to.deep.equal(['a', 'c', 'e'].map((after) => ({ limit: 2, after })));
    expect(await pagesOf(9)).to.deep.equal([ids]);
  });
});
