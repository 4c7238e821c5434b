import type { Item } from '@vitrine/feed-index';
import { generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { slugify } from '@vitrine/listing/text';
import { expect } from 'chai';
import { connectMcp, ERAS, type McpClient } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

interface Value {
  value: string;
  label: string;
  count: number;
  min_price: number;
}

/** The places of the items in turn. Some marketplaces write the state into the city. */
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
const items = inFeedOrder(generateItems(240)).map((item, i): Item => {
  const [city, state] = PLACES[i % PLACES.length] ?? ['Curitiba'];
  item.feed_item.location = { city, ...(state && { state }), country: 'BR' };
  return { ...item, city: slugify(city) ?? '', labels: { ...item.labels, city } };
});
const lowest = (wanted: readonly Item[]) => Math.min(...wanted.map(({ feed_item }) => feed_item.price));

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
  });
