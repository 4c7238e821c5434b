import { expect } from 'chai';
import { cheapestStays, shiftedStays, staysText } from './neighboring-stays.ts';

const offers = (day: number, items: number, minTotal = 0, maxTotal = 0) => ({
  from: `2026-12-${day}`,
  to: `2026-12-${day + 4}`,
  items,
  minTotal,
  maxTotal,
});
const starts = ['2026-12-10', '2026-12-11', '2026-12-12'];
const shifted = (...stays: ReturnType<typeof offers>[]) => shiftedStays(starts, 5, stays);

describe('neighboring stays', () => {
  it('of a range have every shift, and the text does not suggest a stay that no listing has', () => {
    const stays = shifted(offers(11, 2, 500, 900.5));
    expect(stays).to.deep.equal({
      neighbouring_stays: [
        { from: '2026-12-10', to: '2026-12-14', items: 0 },
        {
          from: '2026-12-11',
          to: '2026-12-15',
          items: 2,
          min_total_price: 500,
          max_total_price: 900.5,
        },
        { from: '2026-12-12', to: '2026-12-16', items: 0 },
      ],
    });
    expect(staysText(stays, 5, false).join('')).to.equal(
      'neighbouring_stays, by first night: listings free for all 5 nights (lowest-highest total): 12-11: 2 (500-900.5); ' +
        'no listing is known to be free for all 5 nights from: 12-10, 12-12',
    );
    expect(staysText(shifted(), 5, false).join('')).to.equal(
      'neighbouring_stays: no listing is known to be free for all 5 nights on these dates or up to 3 days before or after',
    );
  });

  it('of a flexible stay have the seven cheapest first nights, and the number of the others with a listing', () => {
    const stays = cheapestStays(
      Array.from({ length: 9 }, (_, i) => offers(13 + i, 1, 900 - ((i + 3) % 4), 1_000)),
    );
    const { neighbouring_stays: entries, neighbouring_stays_left_out } = stays;
    expect(entries.map(({ from }) => Number(from.slice(-2)))).to.deep.equal([13, 17, 21, 16, 20, 15, 19]);
    expect(neighbouring_stays_left_out).to.equal(2);
    expect(staysText(stays, 5, true).join('')).to.match(
      /cheapest first.*; 2 further stays, none cheaper, left out$/,
    );
    expect(staysText(cheapestStays([]), 5, true).join('')).to.equal(
      'neighbouring_stays: no listing is known to be free for all 5 nights of any stay within these dates',
    );
  });
});
