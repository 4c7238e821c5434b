import { type Availability, type FeedItem, type Item, offersOf } from '@vitrine/feed-index';
import { day, distance, generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

interface Feed {
  data: (FeedItem & { availability?: Availability[] })[];
  meta: {
    page?: number;
    pageSize: number;
    pageCount: number;
    total: number;
    nextCursor?: string;
    endpoint: string;
    generatedAt: string;
    availability?: object[];
  };
}

const WINDOW = 200;
const items = inFeedOrder(generateItems(400));
const ids = (found: { id: string }[]) => found.map(({ id }) => id);

/** Whether an item is available on a date. */
const isOpen = (item: Item, date: string) => offersOf(item).some((offer) => offer.date === date);

describe('query service: feeds', () => {
  let deployment: QueryDeployment;
  const get = async (path: string): Promise<Feed> => {
    const response = await fetchAccepted(`${deployment.origin}/api${path}`);
    expect(response.status, path).to.equal(200);
    return (await response.json()) as Feed;
  };
  /** The items of all pages in order. Also requests one page past the end. */
  const crawl = async (feed: string, query: string, pageSize: number): Promise<Feed['data']> => {
    const found: Feed['data'] = [];
    for (let page = 1; ; page++) {
      const { data, meta } = await get(`/${feed}?${query}&pageSize=${pageSize}&page=${page}`);
      found.push(...data);
      expect(data).to.have.lengthOf(Math.max(0, Math.min(pageSize, meta.total - (page - 1) * pageSize)));
      expect(meta.pageCount).to.equal(Math.ceil(meta.total / pageSize));
      if (page > meta.pageCount) return found;
    }
  };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY }, resultWindow: WINDOW, shards: 2 });
    await deployment.createIndex(items);
  });
  after(() => deployment?.close());

  it('serves the first page of every operation', async () => {
    const types = [undefined, 'sale', 'rent', 'service'] as const;
    for (const feed of ['public-feed', 'ai-feed']) {
      for (const type of types) {
        const expected = items.filter(({ ad_type }) => type === undefined || ad_type === type);
        const endpoint = type ? `${feed}/${type}` : feed;
        const { data, meta } = await get(`/${endpoint}`);
        expect(ids(data)).to.deep.equal(ids(expected).slice(0, 20));
        expect(new Date(meta.generatedAt).toISOString()).to.equal(meta.generatedAt);
        const { generatedAt: _, ...rest } = meta;
        expect(rest).to.deep.equal({
          page: 1,
          pageSize: 20,
          pageCount: Math.ceil(expected.length / 20),
          total: expected.length,
          endpoint,
        });
      }
    }
    const rental = await get('/ai-feed/rental');
    expect(rental.meta.endpoint).to.equal('ai-feed/rent');
    expect(rental.data).to.deep.equal((await get('/ai-feed/rent')).data);
  });

  it('serves items as stored; the agent feed adds availability for 90 days, starting today', async () => {
    const expected = items.slice(0, 100);
    const last = day(89);
    expect((await get('/public-feed?pageSize=100')).data).to.deep.equal(
      expected.map(({ feed_item }) => feed_item),
    );
    expect((await get('/ai-feed?pageSize=100')).data).to.deep.equal(
      expected.map(({ feed_item, calendar }) => ({
        ...feed_item,
        availability: calendar.filter(({ date }) => date >= TODAY && date <= last),
      })),
    );
  });

  it('returns each item of a crawl exactly once and in order, even far beyond the result window', async () => {
    for (const pageSize of [7, 33, 100])
      expect(ids(await crawl('public-feed', '', pageSize)), String(pageSize)).to.deep.equal(ids(items));
    const inRecife = items.filter(({ city }) => city === 'recife');
    expect(ids(await crawl('ai-feed', 'city=recife', 9))).to.deep.equal(ids(inRecife));
  });

  it('filters by every parameter, alone and combined, under every name and in every spelling', async () => {
    const by = (wanted: Partial<Item>) =>
      items.filter((item) =>
        Object.entries(wanted).every(([name, value]) => item[name as keyof Item] === value),
      );
    const cases: [string, Item[]][] = [
      ['city=S%C3%A3o+Paulo', by({ city: 'sao-paulo' })],
      ['cidade=SAO-PAULO', by({ city: 'sao-paulo' })],
      ['city=santa+barbara+d%27oeste', by({ city: 'santa-barbara-d-oeste' })],
      ['city=sao', []],
      ['category=Casa&subcategoria=quarto', by({ category: 'casa', sub_category: 'quarto' })],
      ['categoria=apartamento&city=recife', by({ category: 'apartamento', city: 'recife' })],
      [`date=${day(4)}`, items.filter((item) => isOpen(item, day(4)))],
      [
        `data=${TODAY}&sub_category=inteiro`,
        by({ sub_category: 'inteiro' }).filter((item) => isOpen(item, TODAY)),
      ],
      [`date=${day(-1)}`, []],
      ['date=9999-12-31', []],
      ['city=%E6%97%A5%E6%9C%AC', []],
      ['city=---', []],
      ['city=+&category=', items],
    ];
    for (const [query, expected] of cases) {
      for (const feed of ['public-feed', 'ai-feed']) {
        const { data, meta } = await get(`/${feed}?pageSize=100&${query}`);
        expect(ids(data), query).to.deep.equal(ids(expected.slice(0, 100)));
        expect([meta.total, meta.pageCount], query).to.deep.equal([
          expected.length,
          Math.ceil(expected.length / 100),
        ]);
      }
    }
  });

  it('serves an empty page past the end, however far past the end', async () => {
    for (const page of ['5', '101', '99999999', '9007199254740991']) {
      const { data, meta } = await get(`/ai-feed?pageSize=100&page=${page}`);
      expect(data).to.deep.equal([]);
      expect(meta).to.include({ page: Number(page), pageSize: 100, pageCount: 4, total: 400 });
    }
  });

  it('filters availability by a requested date, and summarizes the neighboring dates in meta.availability', async () => {
    const inCity = (city: string) => items.filter((item) => item.city === city);
    const summary = (among: Item[], date: string) => {
      const prices = among.flatMap((item) =>
        offersOf(item)
          .filter((offer) => offer.date === date)
          .map(({ price }) => price),
      );
      return prices.length > 0
        ? { date, items: prices.length, min_price: Math.min(...prices), max_price: Math.max(...prices) }
        : { date, items: 0 };
    };
    const cases: [string, Item[], number, number[]][] = [
      ['', items, 20, [17, 18, 19, 20, 21, 22, 23]],
      ['&city=recife', inCity('recife'), 20, [17, 18, 19, 20, 21, 22, 23]],
      ['&page=35&pageSize=5', items, 20, [17, 18, 19, 20, 21, 22, 23]],
      ['', items, 1, [0, 1, 2, 3, 4]],
      ['', items, -2, [0, 1]],
      ['', items, -4, []],
      ['', items, 125, [122, 123, 124, 125, 126, 127, 128]],
      ['&city=nowhere', [], 1, [0, 1, 2, 3, 4]],
    ];
    for (const [more, among, offset, window] of cases) {
      const { data, meta } = await get(`/ai-feed?date=${day(offset)}${more}`);
      expect(meta.availability, `${offset}${more}`).to.deep.equal(
        window.map((days) => summary(among, day(days))),
      );
      expect(meta.total).to.equal(offset < 0 ? 0 : among.filter((item) => isOpen(item, day(offset))).length);
      for (const item of data) {
        const { calendar = [] } = items.find(({ id }) => id === item.id) ?? {};
        expect(item.availability).to.deep.equal(calendar.filter(({ date }) => date === day(offset)));
        expect(item.availability).to.have.lengthOf(1).and.to.have.nested.property('[0].available', true);
      }
    }
    expect((await get(`/public-feed?date=${day(20)}`)).meta).not.to.have.property('availability');
  });

  it('serves only items that are available on every date of a requested range', async () => {
    const range = [20, 21, 22];
    const expected = items.filter((item) => range.every((days) => isOpen(item, day(days))));
    expect(expected.length).to.be.within(1, 100);
    const query = `date=${day(20)}&date_to=${day(22)}&pageSize=100`;
    expect(ids((await get(`/public-feed?${query}`)).data)).to.deep.equal(ids(expected));
    const { data, meta } = await get(`/ai-feed?${query}`);
    expect(ids(data)).to.deep.equal(ids(expected));
    for (const { availability } of data)
      expect(availability?.map(({ date, available }) => [date, available])).to.deep.equal(
        range.map((days) => [day(days), true]),
      );
    const counted = [17, 18, 19, 20, 21, 22, 23, 24, 25].map(
      (days) => items.filter((item) => isOpen(item, day(days))).length,
    );
    expect(meta.availability?.map((summary) => (summary as { items: number }).items)).to.deep.equal(counted);
    expect((await get(`/ai-feed?date=${day(-1)}&date_to=${day(3)}`)).meta.total).to.equal(0);
  });

  it('serves the items nearest to a point first, and with localOnly only items within 50 km', async () => {
    const point = { lat: -23.55, lon: -46.63 };
    const query = 'lat=-23.55&lng=-46.63';
    const found = await crawl('public-feed', query, 33);
    expect(ids(found)).to.have.members(ids(items)).and.to.have.lengthOf(items.length);
    const meters = (id: string) => {
      const at = items.find((item) => item.id === id)?.point;
      return at ? distance(point, at) : Number.POSITIVE_INFINITY;
    };
    const ordered = found.toSorted((a, b) => meters(a.id) - meters(b.id) || (a.id < b.id ? -1 : 1));
    expect(ids(found)).to.deep.equal(ids(ordered));
    const near = ordered.filter(({ id }) => meters(id) <= 50_000);
    expect(near.length).to.be.within(1, items.length - 1);
    expect(ids(await crawl('ai-feed', `${query}&localOnly=on`, 33))).to.deep.equal(ids(near));
    const inCity = near.filter(
      ({ id }) => items.find((item) => item.id === id)?.city === 'santa-barbara-d-oeste',
    );
    expect(ids(await crawl('ai-feed', `${query}&localOnly=1&city=santa-barbara-d-oeste`, 33))).to.deep.equal(
      ids(inCity),
    );
  });

  it('links to all pages of a feed, by number and by cursor', async () => {
    for (const start of [
      '?pageSize=90&cidade=Recife',
      '?pageSize=9&cursor=*&cidade=Recife',
      '?cursor=*&lat=-8&lng=-35&city=recife',
    ]) {
      const found: string[] = [];
      let path: string | undefined = `/api/public-feed${start}`;
      while (path) {
        const response: Response = await fetchAccepted(new URL(path, deployment.origin).href);
        expect(response.status, path).to.equal(200);
        found.push(...ids(((await response.json()) as Feed).data));
        const next: string | undefined = /<([^>]*)>; rel="next"/.exec(
          response.headers.get('link') ?? '',
        )?.[1];
        path = next && new URL(next, response.url).href;
      }
      expect(found, start).to.have.members(ids(items.filter(({ city }) => city === 'recife')));
      expect(new Set(found)).to.have.property('size', found.length);
    }
  });

  it('rejects a cursor of another feed or filter', async () => {
    const { nextCursor } = (await get('/public-feed?cursor=*&pageSize=5')).meta;
    for (const path of ['/public-feed?', '/public-feed?pageSize=7&'])
      await get(`${path}cursor=${nextCursor}`);
    for (const path of [
      '/ai-feed?',
      '/public-feed/rent?',
      '/public-feed?city=recife&',
      '/public-feed?lat=1&lng=2&',
      '/public-feed?page=1&',
    ]) {
      expect((await fetch(`${deployment.origin}/api${path}cursor=${nextCursor}`)).status, path).to.equal(400);
    }
  });
});
