import { type Item, offersOf } from '@vitrine/feed-index';
import { day, generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { slugify } from '@vitrine/listing/text';
import { expect } from 'chai';
import { connectMcp, ERAS, type McpClient } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

interface Value {
  value: string;
  label: string;
  count: number;
  min_price: number;
  min_total_price?: number;
}

/** The items' places, in turn. Some marketplaces write the state into the city. */
const PLACES: readonly (readonly [city: string, state?: string])[] = [
  ['Bonito', 'MS'],
  ['Bonito', 'Pernambuco'],
  ['Bonito', 'MS'],
  ['Curitiba', 'PR'],
  ['Curitiba', 'PR'],
  ['Valença', 'BA'],
  ['Valença', 'RJ'],
  ['Valença'],
  ['Curitiba', 'Paraná'],
  ['Curitiba - PR'],
  ['Recife', 'the coast'],
  ['Recife', 'PE'],
];
/** Places whose apostrophe some listings leave out. The prices differ, so that each spelling matters. */
const SPELLED: readonly (readonly [city: string, state?: string])[] = [
  ["Sant'Ana", 'AP'],
  ['Santana', 'AP'],
  ['Santana', 'BA'],
  ["Sant'Ana", 'BA'],
  ["Sant'Ana - AP"],
  ["Mãe d'Água"],
  ['Mãe Dágua'],
];
const placed = (item: Item, [city, state]: readonly [city: string, state?: string]): Item => {
  item.feed_item.location = { city, ...(state && { state }), country: 'BR' };
  return { ...item, city: slugify(city) ?? '', labels: { ...item.labels, city } };
};
const items = inFeedOrder(generateItems(240)).map((item, i) =>
  placed(item, PLACES[i % PLACES.length] ?? ['Curitiba']),
);
const lowest = (wanted: readonly Item[]) => Math.min(...wanted.map(({ feed_item }) => feed_item.price));

/** Whether an item has this value for a facet. A city's value may contain its state. */
function isOf(item: Item, facet: 'city' | 'category' | 'ad_type', value: string): boolean {
  if (facet !== 'city' || item.city === value) return item[facet] === value;
  const { state = '' } = item.feed_item.location;
  const code = { Pernambuco: 'pe', Paraná: 'pr' }[state] ?? state.toLowerCase();
  return `${item.city}-${code}` === value;
}

/** The lowest total for a free stay, in BRL. */
function cheapestTotal(
  item: Item,
  { date, date_to = date, nights }: { date: string; date_to?: string; nights?: number },
): number | undefined {
  const prices = new Map(offersOf(item).map((offer) => [offer.date, Math.round(offer.price * 100)]));
  const dates: string[] = [];
  for (let one = Date.parse(date); one <= Date.parse(date_to); one += 86_400_000)
    dates.push(new Date(one).toISOString().slice(0, 10));
  const length = nights ?? dates.length;
  const totals = dates.slice(0, dates.length - length + 1).flatMap((_, i) => {
    const run = dates.slice(i, i + length).map((one) => prices.get(one));
    return run.includes(undefined) ? [] : [run.reduce<number>((sum, price = 0) => sum + price, 0) / 100];
  });
  return totals.length > 0 ? Math.min(...totals) : undefined;
}

for (const era of ERAS)
  describe(`MCP facets, ${era === 'auto' ? '2026-07-28' : 'revisions of 2025'}`, () => {
    let deployment: QueryDeployment;
    let mcp: McpClient;
    const valuesOf = async (args: object): Promise<Value[]> =>
      (await mcp.call('list_facets', { limit: 100, ...args })).data['values'] as Value[];

    before(async () => {
      deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
      await deployment.createIndex(items);
      mcp = await connectMcp(`${deployment.origin}/mcp`, era);
    });
    after(async () => {
      await mcp?.close();
      await deployment?.close();
    });

    it('name a city that exists in several states with each state, and count what the filter finds', async () => {
      const values = await valuesOf({ facet: 'city' });
      expect(values.map(({ value, label, count }) => [value, label, count])).to.deep.equal(
        [
          ['curitiba', 'Curitiba', 60],
          ['curitiba-pr', 'Curitiba, PR', 80],
          ['bonito-ms', 'Bonito, MS', 40],
          ['recife', 'Recife', 40],
          ['valenca', 'Valença (any state)', 60],
          ['bonito-pe', 'Bonito, PE', 20],
          ['valenca-ba', 'Valença, BA', 20],
          ['valenca-rj', 'Valença, RJ', 20],
        ].sort((a, b) => Number(b[2]) - Number(a[2]) || (String(a[0]) < String(b[0]) ? -1 : 1)),
      );
      for (const { value, label, count, min_price } of values) {
        const cheapest = await mcp.call('search_listings', { city: value, sort: 'price', limit: 1 });
        expect(cheapest.data['total'], value).to.equal(count);
        expect(cheapest.data, value).to.have.nested.property('items[0].price', min_price);
        if (label.includes(', ')) {
          const byLabel = await mcp.call('search_listings', { city: label, limit: 1 });
          expect(byLabel.data['total'], label).to.equal(count);
        }
      }
    });

    it('find a city with its state by the rules of suggestions', async () => {
      const found = async (query: string) =>
        (await valuesOf({ facet: 'city', query })).map(({ value }) => value);
      expect(await found('bonito')).to.deep.equal(['bonito-ms', 'bonito-pe']);
      expect(await found('Bonito, PE')).to.deep.equal(['bonito-pe']);
      expect(await found('Bonito - Mato Grosso do Sul')).to.deep.equal(['bonito-ms']);
      const { data } = await mcp.call('search_listings', { city: 'Bonitto' });
      expect(
        (data['suggestions'] as { city: Value[] }).city.map(({ label, count }) => [label, count]),
      ).to.deep.equal([
        ['Bonito, MS', 40],
        ['Bonito, PE', 20],
      ]);
      const both = await mcp.call('search_listings', { city: ['Bonito PE', 'Curitiba'] });
      expect(both.data).to.have.nested.property('applied_filters.city[0].label', 'Bonito, PE');
      const one = await mcp.call('search_listings', { city: 'Bonito PE' });
      expect(one.data['applied_filters']).to.deep.equal({
        city: { value: 'bonito-pe', label: 'Bonito, PE' },
      });
      const nowhere = await mcp.call('search_listings', { city: 'Bonito, GO' });
      expect((nowhere.data['suggestions'] as { city: Value[] }).city).to.have.length(2);
    });

    it('have the lowest price of each value', async () => {
      for (const facet of ['category', 'sub_category', 'ad_type'] as const) {
        const values = await valuesOf({ facet, min_price: 50 });
        expect(values, facet).not.to.have.length(0);
        for (const { value, min_price } of values)
          expect(min_price, value).to.equal(
            lowest(items.filter((item) => item[facet] === value && item.feed_item.price >= 50)),
          );
      }
      const { text, data } = await mcp.call('list_facets', { facet: 'ad_type' });
      const [first] = data['values'] as Value[];
      expect(text).to.include(`${first?.value} "${first?.label}" ${first?.count} ${first?.min_price}`);
    });

    it('have the lowest total of a stay with dates, including a flexible stay and one below a limit', async () => {
      for (const stay of [
        { date: day(3), date_to: day(4) },
        { date: day(3) },
        { date: day(2), date_to: day(12), nights: 3 },
        { date: day(2), date_to: day(12), nights: 2, max_total_price: 600 },
      ])
        for (const facet of ['city', 'category', 'ad_type'] as const) {
          const values = await valuesOf({ facet, ...stay });
          expect(values, JSON.stringify(stay)).not.to.have.length(0);
          for (const { value, count, min_total_price } of values) {
            const totals = items
              .filter((item) => isOf(item, facet, value))
              .flatMap((item) => cheapestTotal(item, stay) ?? [])
              .filter((total) => total <= (stay.max_total_price ?? Number.POSITIVE_INFINITY));
            const expected = { count: totals.length, min_total_price: Math.min(...totals) };
            expect({ count, min_total_price }, `${value} ${JSON.stringify(stay)}`).to.deep.equal(expected);
          }
        }
      expect((await valuesOf({ facet: 'city' }))[0]).not.to.have.property('min_total_price');
    });

    it('count the spellings of an apostrophe together, because the filter finds all of them', async () => {
      const spelled = await startQuery({ env: { FEED_TODAY: TODAY } });
      try {
        await spelled.createIndex(
          inFeedOrder(generateItems(140)).map((item, i) => placed(item, SPELLED[i % 7] ?? ['Santana'])),
        );
        const client = await connectMcp(`${spelled.origin}/mcp`, era);
        const stay = { date: day(2), date_to: day(12), nights: 2 };
        for (const dates of [{}, stay]) {
          const listed = await client.call('list_facets', { facet: 'city', ...dates });
          const values = listed.data['values'] as Value[];
          expect(values).to.have.length(3);
          for (const { value, label, count, min_price, min_total_price } of values) {
            const search = (more: object) =>
              client.call('search_listings', { city: value, ...dates, limit: 1, ...more });
            const { data } = await search({ sort: 'price' });
            expect(data['total'], label).to.equal(count);
            expect(data, label).to.have.nested.property('items[0].price', min_price);
            if (min_total_price === undefined) continue;
            const cheapest = await search({ sort: 'total_price' });
            expect(cheapest.data, label).to.have.nested.property('items[0].total_price', min_total_price);
          }
        }
        const both = await client.call('search_listings', { city: ['Sant Ana', "Mãe d'Água"] });
        expect(both.data['cities']).to.have.length(2);
        for (const query of ["Sant'Ana", 'Santana', 'Sant’Ana, AP']) {
          const { data } = await client.call('list_facets', { facet: 'city', query });
          expect(data['values'], query).not.to.have.length(0);
        }
        await client.close();
      } finally {
        await spelled.close();
      }
    });
  });
