import { expect } from 'chai';
import { addDays } from '../request/calendar-dates.ts';
import { readFeedRequest } from '../request/feed-request.ts';
import { asksForStay, stayWindow } from '../request/stay-window.ts';
import { feedQuery } from '../search/feed-query.ts';

const PLAIN = { feed: 'ai-feed', page: 1, pageSize: 20 };
const read = (query: string) => readFeedRequest('ai-feed', undefined, query);
const accepts = (query: string, expected: object) =>
  expect(read(query), query).to.deep.equal({ ...PLAIN, ...expected });
const refuses = (query: string, parameter: string, detail?: string) => {
  const request = read(query);
  const bad = 'bad' in request ? request.bad : [];
  expect(
    bad.map((one) => one.parameter),
    query,
  ).to.deep.equal([parameter]);
  if (detail !== undefined) expect(bad[0]?.detail).to.equal(detail);
};
const FIRST = '2026-12-05';
const last = (dates: number) => addDays(FIRST, dates - 1);

describe('nights', () => {
  it('is an integer from 1 to 30', () => {
    for (const nights of [1, 30])
      accepts(`date=${FIRST}&date_to=${last(40)}&nights=${nights}`, {
        date: FIRST,
        dateTo: last(40),
        nights,
      });
    accepts(`date=${FIRST}&nights=`, { date: FIRST });
    for (const value of ['0', '31', '1.5', '-1', '3e0', 'x', '+3'])
      refuses(
        `date=${FIRST}&date_to=${last(40)}&nights=${value}`,
        'nights',
        'must be a decimal integer from 1 to 30',
      );
  });

  it('makes the range a window of at most 92 dates, while a plain range keeps 31', () => {
    accepts(`date=${FIRST}&date_to=${last(92)}&nights=3`, { date: FIRST, dateTo: last(92), nights: 3 });
    refuses(`date=${FIRST}&date_to=${last(93)}&nights=3`, 'date_to', 'must end a range of at most 92 dates');
    refuses(`date=${FIRST}&date_to=${last(32)}`, 'date_to', 'must end a range of at most 31 dates');
    refuses(`date=${FIRST}&date_to=${last(32)}&sort=total_price&max_total_price=9`, 'date_to');
  });

  it('with date alone is that exact stay', () => {
    accepts(`date=${FIRST}&nights=3`, { date: FIRST, dateTo: last(3), nights: 3 });
    expect(read(`date=${FIRST}&nights=3`)).to.deep.equal(read(`data=${FIRST}&date_to=${last(3)}&nights=03`));
    accepts(`date=${FIRST}&nights=1`, { date: FIRST, nights: 1 });
  });

  it('must not exceed the window, and needs a date', () => {
    const detail = 'must not exceed the number of dates from date to date_to';
    refuses(`date=${FIRST}&date_to=${last(2)}&nights=3`, 'nights', detail);
    refuses(`date=${FIRST}&date_to=${FIRST}&nights=2`, 'nights', detail);
    for (const end of ['', '&date_to=9999-12-31'])
      refuses(`date=9999-12-30${end}&nights=3`, 'nights', detail);
    refuses('nights=3', 'nights', 'must not be given without date');
    refuses(`date=${FIRST}&date_to=2026-12-04&nights=3`, 'date_to');
    refuses('date=x&nights=3', 'date');
  });
});

describe('limits of the total', () => {
  it('need a date, and a lower limit that is not above the upper one', () => {
    accepts(`date=${FIRST}&min_total_price=300&max_total_price=300`, {
      date: FIRST,
      minTotal: 300,
      maxTotal: 300,
    });
    refuses('max_total_price=300', 'max_total_price', 'must not be given without date');
    refuses('min_total_price=300', 'min_total_price', 'must not be given without date');
    refuses(
      `date=${FIRST}&min_total_price=2&max_total_price=1`,
      'min_total_price',
      'must not be above max_total_price',
    );
    refuses('min_price=2&max_price=1', 'min_price', 'must not be above max_price');
    for (const value of ['-1', 'x', '1e400'])
      refuses(`date=${FIRST}&max_total_price=${value}`, 'max_total_price');
  });

  it('and other limits treat -0 as 0', () => {
    const request = read(
      `date=${FIRST}&min_price=-0&max_price=-0&min_total_price=-0&max_total_price=-0&min_rating=-0`,
    );
    expect(Object.values(request).filter((value) => Object.is(value, -0))).to.deep.equal([]);
  });
});

describe('min_rating', () => {
  it('is a number from 0 to 5', () => {
    for (const minRating of [0, 4.8, 5]) accepts(`min_rating=${minRating}`, { minRating });
    for (const value of ['-0.1', '5.1', 'x'])
      refuses(`min_rating=${value}`, 'min_rating', 'must be a decimal number from 0 to 5');
  });
});

describe('sort', () => {
  it('leaves no trace if it is the default order', () => {
    accepts('sort=newest', {});
    accepts('sort=', {});
    const point = { lat: 1, lon: 2 };
    accepts('lat=1&lng=2&sort=distance', { point });
    accepts('lat=1&lng=2&sort=newest', { point, sort: 'newest' });
    for (const sort of ['price', 'rating']) accepts(`sort=${sort}`, { sort });
    accepts(`date=${FIRST}&sort=total_price`, { date: FIRST, sort: 'total_price' });
  });

  it('needs what it sorts by', () => {
    refuses('sort=total_price', 'sort', 'must not be total_price without date');
    refuses('sort=distance', 'sort', 'must not be distance without lat and lng');
    refuses('date=x&sort=total_price', 'date');
    refuses('lat=x&lng=1&sort=distance', 'lat');
    refuses('sort=Price', 'sort', 'must be one of newest, price, rating, total_price, distance');
  });
});

describe('stay window', () => {
  const TODAY = '2026-12-10';

  it('begins today if it began in the past, while a plain range stays as it is', () => {
    const window = { date: '2026-12-01', dateTo: '2026-12-20' };
    expect(stayWindow({ ...window, nights: 3 }, TODAY)).to.deep.equal({
      first: TODAY,
      last: '2026-12-20',
      nights: 3,
    });
    expect(stayWindow(window, TODAY)).to.deep.equal({ first: '2026-12-01', last: '2026-12-20', nights: 20 });
    expect(stayWindow({ date: TODAY, nights: 1 }, TODAY)).to.deep.equal({
      first: TODAY,
      last: TODAY,
      nights: 1,
    });
    expect(stayWindow({ nights: 3 }, TODAY)).to.equal(undefined);
  });

  it('matches nothing if fewer dates than the stay are left, and a past range matches nothing', () => {
    const nothing = (query: string) => {
      const criteria = read(query);
      if ('bad' in criteria) throw new Error(query);
      const { request } = feedQuery(
        { ...criteria, feed: 'public-feed' },
        { today: TODAY, localRadiusKm: 50 },
      );
      return JSON.stringify(request).includes('match_none');
    };
    expect(nothing('date=2026-12-01&date_to=2026-12-11&nights=3')).to.equal(true);
    expect(nothing('date=2026-11-01&date_to=2026-11-20&nights=3')).to.equal(true);
    expect(nothing('date=2026-12-09&date_to=2026-12-20')).to.equal(true);
    expect(nothing('date=2026-12-10&date_to=2026-12-20')).to.equal(false);
  });

  it('is asked for by nights, a limit of the total, and the order by total', () => {
    for (const criteria of [
      { nights: 1 },
      { minTotal: 0 },
      { maxTotal: 0 },
      { sort: 'total_price' as const },
    ])
      expect(asksForStay(criteria), JSON.stringify(criteria)).to.equal(true);
    expect(asksForStay({ sort: 'price' })).to.equal(false);
  });
});
