import type { Item } from '@vitrine/feed-index';
import { day, distance, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { connectMcp, type McpClient, type ToolAnswer } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

/** Bonito exists in two states. Some listings have images, ratings and no state. */
const items = generateItems(300).map((item, i): Item => {
  const isBonito = i % 3 === 0;
  const city = isBonito ? 'Bonito' : item.feed_item.location.city;
  const state = isBonito ? (i % 2 === 0 ? 'MS' : 'Pernambuco') : ['SP', undefined][i % 2];
  return {
    ...item,
    ...(isBonito && { city: 'bonito', labels: { ...item.labels, city } }),
    feed_item: {
      ...item.feed_item,
      location: { city, ...(state && { state }), country: 'BR' },
      ...(i % 4 > 0 && { rating: (i % 50) / 10, review_count: i }),
      ...(i % 5 > 0 && {
        images: ['x'.repeat(600), `${i}.jpg`].map((name) => `https://example.com/${name}`),
      }),
    },
  };
});
const tokensOf = ({ text, data }: ToolAnswer) => countTokens(text) + countTokens(JSON.stringify(data));

interface Stay {
  from: string;
  to: string;
  total_price: number;
}
interface Found {
  id: string;
  state?: string;
  stay?: Stay;
  total_price?: number;
  [member: string]: unknown;
}
interface StayEntry {
  from: string;
  to: string;
  items: number;
  min_total_price?: number;
  max_total_price?: number;
}

// The functions below are the oracle, which shares no code with the service.
const entryOn = ({ calendar }: Item, date: string) => calendar.find((one) => one.date === date);
/** The total of the stay from day `first`, or undefined if a night is not free. */
function totalOf(item: Item, first: number, nights: number): number | undefined {
  let cents = 0;
  for (let n = first; n < first + nights; n++) {
    const entry = entryOn(item, day(n));
    if (n < 0 || !entry?.available) return undefined;
    cents += Math.round(entry.price * 100);
  }
  return cents / 100;
}
/**
 * The stays whose first night is on day `first` or later, and whose last night is on day `last` or earlier.
 */
const staysOf = (item: Item, first: number, last: number, nights: number): Stay[] =>
  Array.from(
    { length: Math.max(last - Math.max(first, 0) - nights + 2, 0) },
    (_, i) => Math.max(first, 0) + i,
  )
    .map((n) => ({
      from: day(n),
      to: day(n + nights - 1),
      total_price: totalOf(item, n, nights) ?? Number.NaN,
    }))
    .filter(({ total_price }) => !Number.isNaN(total_price));
const cheapestOf = (item: Item, first: number, last: number, nights: number): Stay | undefined =>
  staysOf(item, first, last, nights).sort((a, b) => a.total_price - b.total_price)[0];
/** The entry for the stays whose first night is on day `first`. */
function entryOf(among: readonly Item[], first: number, nights: number): StayEntry {
  const totals = among.flatMap((item) => totalOf(item, first, nights) ?? []).sort((a, b) => a - b);
  const dates = { from: day(first), to: day(first + nights - 1), items: totals.length };
  const [min_total_price, max_total_price] = [totals.at(0), totals.at(-1)];
  return min_total_price === undefined || max_total_price === undefined
    ? dates
    : { ...dates, min_total_price, max_total_price };
}

describe('MCP: stays', () => {
  let deployment: QueryDeployment;
  let mcp: McpClient;
  const search = async (args: object) => {
    const answer = await mcp.call('search_listings', args);
    expect(answer.isError, answer.text).to.equal(false);
    return { ...answer, found: answer.data['items'] as Found[] };
  };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(items);
    mcp = await connectMcp(`${deployment.origin}/mcp`);
  });
  after(async () => {
    await mcp?.close();
    await deployment?.close();
  });

  it('of a range are counted as a whole for each shift, so no answer suggests a stay that no listing has', async () => {
    const rent = items.filter(({ ad_type }) => ad_type === 'rent');
    for (const [first, nights] of [
      [1, 2],
      [10, 3],
      [20, 5],
      [40, 9],
    ] as const) {
      const { data, text } = await search({
        ad_type: 'rent',
        date: day(first),
        date_to: day(first + nights - 1),
      });
      const shifts = [-3, -2, -1, 0, 1, 2, 3].map((shift) => first + shift).filter((n) => n >= 0);
      const expected = shifts.map((n) => entryOf(rent, n, nights));
      expect(data['neighbouring_stays'], `${first}`).to.deep.equal(expected);
      expect(data).not.to.have.property('neighbouring_dates');
      for (const { from, items: free } of expected)
        expect(text.includes(` ${from.slice(5)}: ${free} (`), `${from}\n${text}`).to.equal(free > 0);
    }
  });

  it('of one date keep the counts of single dates', async () => {
    const { data } = await search({ date: day(5) });
    expect(data['neighbouring_dates']).to.have.length(7);
    expect(data).not.to.have.property('neighbouring_stays');
    const sorted = await search({ date: day(5), sort: 'total_price' });
    expect(sorted.data['neighbouring_dates']).to.deep.equal(data['neighbouring_dates']);
  });

  it('of some nights within a window name the cheapest run of each listing, cheapest total first', async () => {
    for (const [first, last, nights] of [
      [0, 30, 3],
      [-2, 14, 2],
      [10, 16, 7],
      [30, 90, 4],
    ] as const) {
      const { data, found, text } = await search({
        city: 'Bonito',
        date: day(first),
        date_to: day(last),
        nights,
        sort: 'total_price',
        limit: 20,
      });
      const among = items.filter(({ city }) => city === 'bonito');
      const expected = among
        .flatMap((item) => {
          const stay = cheapestOf(item, first, last, nights);
          return stay ? [{ id: item.id, stay }] : [];
        })
        .sort((a, b) => a.stay.total_price - b.stay.total_price || (a.id < b.id ? -1 : 1));
      expect(data['total'], `${first}`).to.equal(expected.length);
      expect(found.map(({ id, stay }) => ({ id, stay }))).to.deep.equal(expected.slice(0, found.length));
      for (const { stay, total_price } of found) expect(total_price).to.equal(stay?.total_price);
      if (expected.length > 0) expect(text).to.include('cheapest total first');
      const entries = Array.from({ length: last - nights + 2 }, (_, n) => n)
        .filter((n) => n >= first)
        .map((n) => entryOf(among, n, nights))
        .filter(({ items: free }) => free > 0)
        .sort((a, b) => (a.min_total_price ?? 0) - (b.min_total_price ?? 0) || (a.from < b.from ? -1 : 1));
      expect(data['neighbouring_stays']).to.deep.equal(entries.slice(0, 7));
      expect(data['neighbouring_stays_left_out'] ?? 0).to.equal(Math.max(entries.length - 7, 0));
    }
  });

  it('have a total within its limits, and a note if only max_price limits the price', async () => {
    const dates = { date: day(4), date_to: day(5) };
    const totals = items.flatMap((item) => totalOf(item, 4, 2) ?? []).sort((a, b) => a - b);
    const [min_total_price = 0, max_total_price = 0] = [totals[3], totals[9]];
    const { data, found } = await search({ ...dates, min_total_price, max_total_price, sort: 'total_price' });
    expect(data['total']).to.equal(
      totals.filter((total) => total >= min_total_price && total <= max_total_price).length,
    );
    expect(found.map(({ total_price }) => total_price)).to.deep.equal(totals.slice(3, 3 + found.length));
    expect(data['applied_filters']).to.deep.include({
      min_total_price,
      max_total_price,
      sort: 'total_price',
    });
    const misled = await search({ ...dates, max_price: 210, sort: 'total_price', limit: 20 });
    const above = misled.found.filter(({ total_price = 0 }) => total_price > 420).map(({ id }) => id);
    expect(above, misled.text).not.to.be.empty;
    expect(misled.text).to.include(`own price: ${above.join(', ')}. To limit`);
    expect(misled.data['notes']).to.have.length(1);
  });

  it('on dates that no calendar covers are unknown, and the answer counts the listings and says so', async () => {
    for (const [city, first, last] of [
      ['Bonito', 126, 132],
      ['Recife', 123, 126],
      // The range began long ago, so neither a stay nor a shifted stay is possible.
      ['Recife', -5, 2],
    ] as const) {
      const { data, text } = await search({ city, date: day(first), date_to: day(last) });
      const dates = Array.from({ length: last - first + 1 }, (_, i) => first + i)
        .filter((n) => n >= 0)
        .map(day);
      const unknown = items.filter(
        (item) =>
          item.feed_item.location.city === city && dates.some((date) => entryOn(item, date) === undefined),
      ).length;
      expect(data).to.deep.include({ total: 0, calendar_unknown: unknown });
      expect(unknown).to.be.above(0);
      expect(text).to.include(`calendars of ${unknown} listings`).and.to.include('unknown, not taken');
    }
  });

  it('in a city that exists in several states name the state of each listing, and the cities', async () => {
    const { found, text, data } = await search({ city: 'Bonito', limit: 20 });
    for (const row of found) {
      const { state } = items.find(({ id }) => id === row.id)?.feed_item.location ?? {};
      expect(row.state).to.equal(state);
      expect(text.split('\n').find((line) => line.startsWith(`${row.id} |`))).to.include(
        `"Bonito, ${state}"`,
      );
    }
    const counts = (data['cities'] as { value: string; count: number }[]).map(({ value, count }) => [
      value,
      count,
    ]);
    expect(counts).to.have.deep.members([
      ['bonito-ms', items.filter(({ feed_item: { location } }) => location.state === 'MS').length],
      ['bonito-pe', items.filter(({ feed_item: { location } }) => location.state === 'Pernambuco').length],
    ]);
    const one = await search({ city: 'Bonito, MS', limit: 20 });
    expect(one.found.every(({ state }) => state === 'MS')).to.equal(true);
    expect(one.data).not.to.have.property('cities');
  });

  it('have an image, the distance, the rating and the end of the calendar in detail', async () => {
    const point = { lat: -23.55, lng: -46.63 };
    const { found, text } = await search({ ...point, detail: 'detailed', limit: 10 });
    expect(text).to.include('nearest first');
    for (const row of found) {
      const item = items.find(({ id }) => id === row.id) as Item;
      const meters = item.point && distance(item.point, { lat: point.lat, lon: point.lng });
      expect(row['distance_km']).to.be.closeTo((meters ?? Number.NaN) / 1_000, 0.01);
      expect(row['rating']).to.equal(item.feed_item.rating);
      expect(row['image']).to.equal(item.feed_item.images?.[1]);
      expect(row['calendar_until']).to.equal(item.calendar.at(-1)?.date);
    }
    const { found: concise } = await search({ limit: 1 });
    expect(concise[0]).not.to.have.any.keys('image', 'rating', 'calendar_until', 'distance_km');
  });

  it('stay within the token budgets', async () => {
    for (const args of [
      { city: 'Bonito', date: day(4), date_to: day(6) },
      { date: day(4), date_to: day(10) },
      { date: day(4), date_to: day(40), nights: 3 },
      { date: day(4), date_to: day(60), nights: 7, sort: 'total_price', max_price: 20 },
      { city: ['Bonito', 'Recife'], date: day(200), date_to: day(220) },
    ])
      expect(tokensOf(await search(args)), JSON.stringify(args)).to.be.at.most(1_200);
    const long = { date: day(4), date_to: day(90), nights: 30, detail: 'detailed', limit: 20 };
    expect(tokensOf(await search(long))).to.be.at.most(4_000);
  });
});
