import { expect } from 'chai';
import fc from 'fast-check';
import { addDays, datesFrom } from '../../request/calendar-dates.ts';
import { stayClauses } from './stay-clauses.ts';

/** The parts of a query that these clauses have. */
interface Query {
  term?: { open_dates: string };
  match_none?: object;
  bool?: { filter?: Query[]; should?: Query[] };
}

const matches = ({ term, match_none, bool }: Query, open: ReadonlySet<string>): boolean => {
  if (match_none) return false;
  if (term) return open.has(term.open_dates);
  const { filter = [], should = [] } = bool ?? {};
  return (
    filter.every((one) => matches(one, open)) &&
    (should.length === 0 || should.some((one) => matches(one, open)))
  );
};

const termsOf = (clauses: unknown): number => JSON.stringify(clauses).split('"term"').length - 1;

describe('the clauses of a stay', () => {
  const first = '2026-12-30';

  it('match exactly the items with a free stay in the window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 92 }),
        fc.integer({ min: 1, max: 31 }),
        fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 30 }),
        (length, nights, taken) => {
          const last = addDays(first, length - 1);
          const free = datesFrom(first, addDays(last, 9)).map((_, day) => !taken.includes(day));
          const open = new Set(datesFrom(first, addDays(last, 9)).filter((_, day) => free[day]));
          const isFree = free.some(
            (_, start) =>
              start + nights <= length && free.slice(start, start + nights).every((isOpen) => isOpen),
          );
          const clauses = stayClauses({ first, last, nights }) as Query[];
          expect(clauses.every((one) => matches(one, open))).to.equal(isFree);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('are far fewer than Elasticsearch accepts, for every length of the stay and the window', () => {
    for (let nights = 1; nights <= 31; nights++)
      for (const length of [31, 92])
        expect(termsOf(stayClauses({ first, last: addDays(first, length - 1), nights }))).to.be.below(500);
  });

  it('name each date of a plain range once', () =>
    expect(stayClauses({ first, last: addDays(first, 30), nights: 31 })).to.deep.equal([
      {
        bool: {
          filter: datesFrom(first, addDays(first, 30)).map((date) => ({ term: { open_dates: date } })),
        },
      },
    ]));
});
