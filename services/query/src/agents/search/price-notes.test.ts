import { expect } from 'chai';
import { priceNotes } from './price-notes.ts';

const row = (total_price: number, id = 'a') => ({
  id,
  title: 'a',
  price: 1,
  city: 'a',
  url: 'a',
  total_price,
});
const criteria = { feed: 'ai-feed', pageSize: 5 } as const;

describe('notes about prices', () => {
  it('name the stays that cost more per night than max_price, which compares another price', () => {
    const [note = ''] = priceNotes({ ...criteria, maxPrice: 450 }, [row(936, 'b'), row(900)], 2);
    expect(note)
      .to.match(/own price: b\. To/)
      .and.to.include('use max_total_price');
  });

  it('are absent without max_price, and if no stay costs more', () => {
    expect(priceNotes(criteria, [row(936)], 2)).to.deep.equal([]);
    expect(priceNotes({ ...criteria, maxPrice: 450 }, [row(900)], 2)).to.deep.equal([]);
    // 99.99 * 3 is 299.96999999999997.
    expect(priceNotes({ ...criteria, maxPrice: 99.99 }, [row(299.97)], 3)).to.deep.equal([]);
  });
});
