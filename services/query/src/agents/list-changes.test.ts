import { expect } from 'chai';
import { MCP_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import type { Change } from '../stored/complete-item.ts';
import { ExpiredChanges, listChanges } from './list-changes.ts';
import { fitted } from './token-budget.ts';

const AT = Date.parse('2026-11-30T12:00:00Z');
const item = {
  id: 'a',
  title: 'Casa na praia',
  price: 90,
  location: { city: 'Recife', state: 'Pernambuco' },
  url: 'https://example.com/a',
};
const changes: Change[] = [
  {
    id: 'a',
    modified: 7,
    note: { at: AT, kind: 'price', previousPrice: 100 },
    item: { id: 'a', data: [Buffer.from(JSON.stringify(item))] },
  },
  { id: 'b', modified: 9, note: { at: AT + 60_000, kind: 'removed' }, item: undefined },
];
const signal = new AbortController().signal;
const budget = () => new RequestBudget(MCP_LIMITS, new SharedMemory(1e9));
const list = async (after: number, isFull = false, all = changes) => {
  const draft = await listChanges(
    {
      page: async (from, limit) => ({
        kind: 'page',
        changes: all.filter(({ modified }) => modified > from).slice(0, limit),
        isFull,
        upTo: 9,
        mayContinue: isFull,
        shownAt: 0,
      }),
    },
    '2026-12-01',
    { after, limit: 10 },
    signal,
    budget(),
  );
  return fitted(draft);
};

describe('changes for agents', () => {
  it('are updates with their listing, and deletions', async () => {
    const { text, structured } = await list(0);
    expect(structured).to.deep.include({
      changes: [
        {
          id: 'a',
          state: 'updated',
          kind: 'price',
          at: '2026-11-30T12:00:00Z',
          modified: 7,
          title: item.title,
          price: 90,
          previous_price: 100,
          city: 'Recife, PE',
          url: item.url,
        },
        { id: 'b', state: 'deleted', kind: 'removed', at: '2026-11-30T12:01:00Z', modified: 9 },
      ],
      next_after: 9,
      has_more: false,
    });
    expect(text.split('\n').slice(1)).to.deep.equal([
      'a | price | 2026-11-30T12:00:00Z | "Casa na praia" | 90 (before: 100) | "Recife, PE" | https://example.com/a',
      'b | removed | 2026-11-30T12:01:00Z',
      'next_after: 9',
    ]);
  });

  it('continue at the given number if there are none', async () =>
    expect((await list(9)).structured).to.deep.include({ changes: [], next_after: 9, has_more: false }));

  it('may be incomplete', async () => expect((await list(0, true)).structured['has_more']).to.equal(true));

  it('lose no change, whatever the texts of the others are, and say that some are left out', async () => {
    const hostile = { ...item, title: '民'.repeat(300), url: `https://example.com/${'民'.repeat(3_900)}` };
    const data = [Buffer.from(JSON.stringify(hostile))];
    const large = (modified: number): Change => ({
      id: `c-${modified}`,
      modified,
      note: { at: AT },
      item: { id: `c-${modified}`, data },
    });
    const all = [{ ...(changes[1] as Change), modified: 1 }, ...[2, 3, 4].map(large)];
    const seen: string[] = [];
    for (let after = 0; after < 4; ) {
      const { text, structured } = await list(after, false, all);
      const rows = structured['changes'] as { id: string; modified: number }[];
      expect(text.includes('truncated: '), text.slice(-300)).to.equal(structured['truncated'] === true);
      seen.push(...rows.map(({ id }) => id));
      after = structured['next_after'] as number;
      if (after < 4) expect(after).to.equal(rows.at(-1)?.modified);
      else break;
    }
    expect(seen).to.deep.equal(['b', 'c-2', 'c-3', 'c-4']);
  });

  it('are refused if they have expired', async () => {
    const expired = listChanges(
      { page: async () => ({ kind: 'expired' }) },
      '',
      { after: 1, limit: 1 },
      signal,
      budget(),
    );
    expect(await expired.catch((error: unknown) => error)).to.be.instanceOf(ExpiredChanges);
  });
});
