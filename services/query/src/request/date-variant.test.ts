import { expect } from 'chai';
import fc from 'fast-check';
import { feedContent } from '../response/feed-response.ts';
import { feedQuery } from '../search/feed-query.ts';
import { addDays } from './calendar-dates.ts';
import type { FeedCriteria } from './criteria.ts';
import { dateVariant } from './criteria.ts';

describe('date variant', () => {
  const TODAY = '2026-12-01';
  const HORIZON_DAYS = 90;
  const variant = (criteria: Partial<FeedCriteria>, today = TODAY) =>
    dateVariant({ feed: 'public-feed', page: 1, pageSize: 20, ...criteria }, today);
  const changes = (criteria: Partial<FeedCriteria>) =>
    variant(criteria) !== variant(criteria, addDays(TODAY, 1));

  it('a public page without a date is the same on every date', () => expect(changes({})).to.equal(false));

  it('an agent page without a date changes at every midnight', () =>
    expect(changes({ feed: 'ai-feed' })).to.equal(true));

  it('a public page with a date changes only when the date passes', () => {
    const changing = [-2, -1, 0, 1, 2].filter((days) => changes({ date: addDays(TODAY, days) }));
    expect(changing).to.deep.equal([0]);
  });

  it('an agent page with a date changes while its window of neighboring dates begins today', () => {
    const changing = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5].filter((days) =>
      changes({ feed: 'ai-feed', date: addDays(TODAY, days) }),
    );
    expect(changing).to.deep.equal([-3, -2, -1, 0, 1, 2, 3]);
  });

  it('an agent page of a range changes until three days after its last date', () => {
    const range = (days: number) => ({
      feed: 'ai-feed' as const,
      date: addDays(TODAY, days),
      dateTo: addDays(TODAY, days + 10),
    });
    const changing = [-15, -14, -13, -12, 0, 3, 4].filter((days) => changes(range(days)));
    expect(changing).to.deep.equal([-13, -12, 0, 3]);
  });

  it('a page of a flexible stay changes while its window begins today', () => {
    const window = (days: number, feed: 'public-feed' | 'ai-feed' = 'public-feed') => ({
      feed,
      date: addDays(TODAY, days),
      dateTo: addDays(TODAY, days + 10),
      nights: 3,
    });
    const days = Array.from({ length: 20 }, (_, i) => i - 15);
    // The last stay of the window begins eight days after its first date.
    expect(days.filter((first) => changes(window(first)))).to.deep.equal([-8, -7, -6, -5, -4, -3, -2, -1, 0]);
    expect(days.filter((first) => changes(window(first, 'ai-feed')))).to.deep.equal([
      -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3,
    ]);
  });

  it('equal variants have equal searches and equal responses', () => {
    const dates = fc.integer({ min: -12, max: 12 }).map((days) => addDays(TODAY, days));
    const criteria = fc.record({
      feed: fc.constantFrom('ai-feed' as const, 'public-feed' as const),
      date: dates,
      length: fc.integer({ min: 0, max: 9 }),
      stay: fc.record(
        {
          nights: fc.integer({ min: 1, max: 10 }),
          maxTotal: fc.constant(300),
          sort: fc.constantFrom('total_price' as const, 'price' as const),
        },
        { requiredKeys: [] },
      ),
    });
    type Stay = Pick<FeedCriteria, 'nights' | 'maxTotal' | 'sort'>;
    /** A stay is not longer than its window. */
    const shortened = (stay: Stay, length: number): Stay =>
      stay.nights === undefined ? stay : { ...stay, nights: Math.min(stay.nights, length + 1) };
    const calendar = Buffer.from(JSON.stringify([{ date: TODAY, available: true, price: 1 }]));
    const item = {
      head: Buffer.alloc(0),
      feedItem: Buffer.from('{"id":"a"}'),
      calendar,
      position: { key: 0, id: 'a' },
    };
    fc.assert(
      fc.property(
        criteria,
        fc.boolean(),
        dates,
        dates,
        ({ feed, date, length, stay }, isDated, one, other) => {
          const wanted: FeedCriteria = {
            feed,
            page: 1,
            pageSize: 20,
            ...(isDated && {
              date,
              ...(length > 0 && { dateTo: addDays(date, length) }),
              ...shortened(stay, length),
            }),
          };
          const on = (today: string) => ({
            request: feedQuery(wanted, { today, localRadiusKm: 50 }).request,
            content: feedContent(
              wanted,
              { total: 1, items: [item], offersByDate: [] },
              { today, horizonDays: HORIZON_DAYS },
            ),
          });
          const isEqual = JSON.stringify(on(one)) === JSON.stringify(on(other));
          if (dateVariant(wanted, one) === dateVariant(wanted, other)) expect(isEqual).to.equal(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
