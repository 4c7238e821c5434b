import { expect } from 'chai';
import { renderListings } from './render-listings.ts';

describe('a list of listings as text', () => {
  it('gives the number, the entries and the command of the next page', () => {
    const text = renderListings({ kind: 'hidden', name: 'price', containing: 'a' }, 2, {
      listings: [
        { id: 'a1', reason: 'price', detail: 'no price above 0' },
        { id: `a${'2'.repeat(500)}`, reason: 'price', detail: 'x'.repeat(2_000) },
      ],
      total: 1_234,
      next: "a2'",
    });
    const lines = text.split('\n');
    expect(lines[0]).to.equal('1,234 listings are hidden (reason price, id contains "a")');
    expect(lines.at(-1)).to.equal(
      `Next page: npm run cli -- listings --hidden=price --containing=a --limit=2 --after='a2'\\'''`,
    );
    const column = (n: number) => lines.map((line) => line.split('│')[n]?.trim() ?? '').join('');
    expect(column(1)).to.contain('2'.repeat(500));
    expect(column(3)).to.contain('x'.repeat(250)).and.not.to.contain('x'.repeat(300));
    for (const line of lines.slice(1, -1)) expect(line.length).to.be.at.most(120);
  });

  it('is one sentence without entries', () => {
    const render = (kind: 'hidden' | 'dead-letters' | 'dropped' | 'superseded', total: number) =>
      renderListings({ kind, source: '/s' }, 100, { listings: [], total });
    expect(render('dead-letters', 0)).to.equal('No listing has dead letters (source /s)');
    expect(render('hidden', 1)).to.equal('1 listing is hidden (source /s)');
    expect(render('dropped', 2)).to.equal('2 listings have dropped members (source /s)');
    expect(render('superseded', 2)).to.equal('2 listings have ignored events (source /s)');
  });
});
