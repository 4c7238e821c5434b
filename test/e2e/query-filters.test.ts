import type { FeedItem, Item } from '@vitrine/feed-index';
import { generateItems, inFeedOrder, Random, TODAY } from '@vitrine/fixtures';
import { slugify } from '@vitrine/listing';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const SEED = Number(process.env['HISTORY_SEED'] ?? Math.floor(Math.random() * 1e9));
const REQUESTS = 120;

/** The city and the state as a listing writes them, and the state's code. */
type Place = readonly [city: string, state: string | undefined, code: string | undefined];
const PLACES: readonly [Place, ...Place[]] = [
  ['Bonito', 'MS', 'ms'],
  ['Bonito', 'Mato Grosso do Sul', 'ms'],
  ['Bonito', 'PE', 'pe'],
  ['Bonito', undefined, undefined],
  ['Bonito - MS', undefined, undefined],
  ['Mãe d’Água', 'paraíba', 'pb'],
  ['Mae Dagua', 'PB', 'pb'],
  ['Lisboa', 'Estremadura', 'estremadura'],
  ['Natal', 'RN', 'rn'],
];
const CATEGORIES = ['Casa, mesa e banho', 'Casa', 'Chalé', undefined] as const;

interface Market {
  item: Item;
  place: Place;
}

function market(random: Random): Market[] {
  return inFeedOrder(generateItems(400)).map((item) => {
    const place = random.pick(PLACES);
    const category = slugify(random.pick(CATEGORIES) ?? '');
    const rating = random.chance(0.3) ? undefined : random.integer(0, 10) / 2;
    const { category: _, ...feedItem } = item.feed_item;
    const { category: __, ...others } = item;
    const [city, state] = place;
    const feed_item: FeedItem = {
      ...feedItem,
      ...(category !== undefined && { category }),
      location: { city, ...(state !== undefined && { state }), country: 'BR' },
      ...(rating !== undefined && { rating }),
    };
    return {
      place,
      item: { ...others, city: slugify(city) ?? '', ...(category !== undefined && { category }), feed_item },
    };
  });
}

/**
 * A part of a request, and the listings that it selects. This test's oracle shares no code with the service.
 */
type Part = [query: Record<string, string>, selects: (listing: Market) => boolean];

const inCity =
  (...cities: string[]) =>
  ({ place: [city] }: Market) =>
    cities.includes(city);
const inState =
  (...codes: string[]) =>
  ({ place: [, , code] }: Market) =>
    codes.includes(code ?? '');
const both = (one: Part[1], other: Part[1]) => (listing: Market) => one(listing) && other(listing);
const either = (one: Part[1], other: Part[1]) => (listing: Market) => one(listing) || other(listing);
const bonitoInMs = either(both(inCity('Bonito'), inState('ms')), inCity('Bonito - MS'));
const water = inCity('Mãe d’Água', 'Mae Dagua');
const isOf =
  (...slugs: string[]) =>
  ({ item }: Market) =>
    slugs.includes(item.category ?? '');
const ofType =
  (...types: string[]) =>
  ({ item }: Market) =>
    types.includes(item.ad_type ?? '');
const rated =
  (least: number) =>
  ({ item }: Market) =>
    (item.feed_item.rating ?? -1) >= least;
const costs =
  (least: number, most: number) =>
  ({ item }: Market) =>
    item.feed_item.price >= least && item.feed_item.price <= most;

const PARTS: [Part, ...Part[]][] = [
  [
    [{ city: 'Bonito' }, inCity('Bonito')],
    [{ city: 'Bonito, MS' }, bonitoInMs],
    [{ city: 'Bonito,MS' }, bonitoInMs],
    [{ cidade: 'bonito/ms' }, bonitoInMs],
    [{ city: 'bonito-ms' }, bonitoInMs],
    [{ city: 'Natal,Bonito - MS' }, either(inCity('Natal'), bonitoInMs)],
    [{ cidade: 'natal,mae-dagua' }, either(inCity('Natal'), water)],
    [{ city: "Mãe d'Água, PB,Bonito,PE" }, either(water, both(inCity('Bonito'), inState('pe')))],
    [{ city: 'Bonito,Mato Grosso do Sul' }, inCity('Bonito')],
    [{ city: '---' }, () => false],
  ],
  [
    [{ state: 'MS' }, inState('ms')],
    [{ state: 'Pernambuco' }, inState('pe')],
    [{ state: 'estremadura' }, inState('estremadura')],
    [{ state: 'PB' }, inState('pb')],
    [{ state: 'Mato' }, () => false],
  ],
  [
    [{ category: 'Casa, mesa e banho' }, isOf('casa-mesa-e-banho')],
    [{ category: 'casa,CHALÉ' }, isOf('casa', 'chale')],
    [{ categoria: 'Casa, mesa e banho,casa' }, isOf('casa-mesa-e-banho', 'casa')],
  ],
  [
    [{ ad_type: 'sale,rental' }, ofType('sale', 'rent')],
    [{ ad_type: 'service' }, ofType('service')],
  ],
  [
    [{ min_rating: '0' }, rated(0)],
    [{ min_rating: '4.5' }, rated(4.5)],
    [{ min_rating: '5' }, rated(5)],
  ],
  [
    [{ min_price: '200' }, costs(200, Infinity)],
    [{ max_price: '3e2' }, costs(0, 300)],
    [{ min_price: '100.5', max_price: '600' }, costs(100.5, 600)],
  ],
];

describe(`query service: filters and lists, seed ${SEED}`, () => {
  const random = new Random(SEED);
  const listings = market(random);
  let deployment: QueryDeployment;
  const get = async (path: string) => {
    const response = await fetchAccepted(`${deployment.origin}/api${path}`);
    expect(response.status, `${path}: ${response.status}`).to.equal(200);
    return (await response.json()) as { data: FeedItem[]; meta: { total: number; nextCursor?: string } };
  };
  const crawl = async (query: URLSearchParams): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
      const parameters = new URLSearchParams({ ...Object.fromEntries(query), cursor, pageSize: '70' });
      const page: Awaited<ReturnType<typeof get>> = await get(`/public-feed?${parameters}`);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.meta.nextCursor;
    }
    return ids;
  };
  const expectSelected = async (parts: Part[]) => {
    const query = new URLSearchParams(Object.assign({}, ...parts.map(([parameters]) => parameters)));
    const ids = listings
      .filter((listing) => parts.every(([, selects]) => selects(listing)))
      .map(({ item }) => item.id);
    const { meta } = await get(`/ai-feed?${query}`);
    expect(meta.total, query.toString()).to.equal(ids.length);
    expect(await crawl(query), query.toString()).to.deep.equal(ids);
  };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(listings.map(({ item }) => item));
  });
  after(() => deployment?.close());

  for (const parts of PARTS)
    it(`select by ${Object.keys(parts[0][0])[0]}`, async () => {
      for (const part of parts) await expectSelected([part]);
    });

  it('select by all of them together', async () => {
    for (let i = 0; i < REQUESTS; i++)
      await expectSelected(PARTS.filter(() => random.chance(0.4)).map((parts) => random.pick(parts)));
  });

  it('count the same items on the path of an ad type as with its parameter', async () => {
    const [byPath, byParameter] = await Promise.all([
      get('/ai-feed/rent?pageSize=100'),
      get('/ai-feed?ad_type=rent&pageSize=100'),
    ]);
    expect(byParameter.data).to.deep.equal(byPath.data);
    expect(byParameter.meta).to.include({ endpoint: 'ai-feed' });
    expect(byPath.meta).to.include({ endpoint: 'ai-feed/rent' });
  });
});
