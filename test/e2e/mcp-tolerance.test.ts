import type { Item } from '@vitrine/feed-index';
import { day, generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { connectMcp, ERAS, type McpClient } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const CITIES = ['Curitiba', 'Rio de Janeiro', 'Foz do Iguaçu', 'Balneário Camboriú', 'Florianópolis'];
const slugs = ['curitiba', 'rio-de-janeiro', 'foz-do-iguacu', 'balneario-camboriu', 'florianopolis'];
/** The first city has the most listings. */
const items = inFeedOrder(generateItems(150)).map((item, i): Item => {
  if (i === 149) {
    // This listing's marketplace writes the state into the city.
    item.feed_item.location.city = 'Recife, PE';
    return { ...item, city: 'recife-pe', labels: { ...item.labels, city: 'Recife, PE' } };
  }
  const city = Math.min(i % 7, CITIES.length - 1) % (i < 75 ? CITIES.length : 2);
  const [name = '', slug = ''] = [CITIES[city], slugs[city]];
  item.feed_item.location.city = name;
  return { ...item, city: slug, labels: { ...item.labels, city: name } };
});
const valuesOf = (found: unknown) => (found as { value: string }[] | undefined)?.map(({ value }) => value);

for (const era of ERAS)
  describe(`MCP tools, ${era === 'auto' ? '2026-07-28' : 'revisions of 2025'}`, () => {
    let deployment: QueryDeployment;
    let mcp: McpClient;

    before(async () => {
      deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
      await deployment.createIndex(items);
      mcp = await connectMcp(`${deployment.origin}/mcp`, era);
    });
    after(async () => {
      await mcp?.close();
      await deployment?.close();
    });

    it('suggest the city that people mean, in a search and in list_facets', async () => {
      for (const [city, slug] of [
        ['Rio', 'rio-de-janeiro'],
        ['RJ', 'rio-de-janeiro'],
        ['Foz', 'foz-do-iguacu'],
        ['Foz - PR', 'foz-do-iguacu'],
        ['Camboriú', 'balneario-camboriu'],
        ['Floripa', 'florianopolis'],
        ['Curitba, PR', 'curitiba'],
        ['Recife', 'recife-pe'],
      ] as const) {
        const search = await mcp.call('search_listings', { city });
        const { suggestions } = search.data as { suggestions: { city: object[] } };
        expect(valuesOf(suggestions.city), city).to.deep.equal([slug]);
        expect(search.text).to.include(slug);
        const found = await mcp.call('search_listings', { city: valuesOf(suggestions.city)?.[0] });
        expect(found.data['total'], city).to.be.above(0);
        const facet = await mcp.call('list_facets', { facet: 'city', query: city });
        const { values, suggestions: near } = facet.data as Record<string, { city?: object[] }>;
        expect(valuesOf(near?.city ?? values), city).to.deep.equal([slug]);
      }
      const all = await mcp.call('list_facets', { facet: 'city', query: 'c' });
      expect(valuesOf(all.data['values'])).to.deep.equal(['curitiba', 'balneario-camboriu']);
    });

    it('accept values in the forms that clients and models write', async () => {
      const strict = await mcp.call('search_listings', { city: ['Curitiba'], ad_type: ['rent'], limit: 2 });
      expect(strict.data['total']).to.be.above(0);
      const loose = {
        city: '["Curitiba"]',
        ad_type: 'RENT',
        limit: '2',
        date: null,
        category: [],
        cursor: '',
      };
      const { data, text } = await mcp.call('search_listings', loose);
      expect({ ...data, as_of: '' }).to.deep.equal({ ...strict.data, as_of: '' });
      expect(text).to.equal(strict.text);
      const two = await mcp.call('search_listings', { city: ['Curitiba', 'Foz do Iguaçu'] });
      const wanted = items.filter(({ city }) => city === 'curitiba' || city === 'foz-do-iguacu');
      expect(two.data['total']).to.equal(wanted.length);
    });

    it('leave room for listings beside the longest lists of ordinary values', async () => {
      const list = (name: string) => Array.from({ length: 18 }, (_, i) => `${name} do Rio Preto ${i}`);
      const city = ['Curitiba', 'Recife, PE', ...list('São José')];
      const { data } = await mcp.call('search_listings', { city, date: TODAY, date_to: TODAY });
      expect(data['items']).not.to.have.length(0);
      expect((data['applied_filters'] as { city: object[] }).city).to.have.length(20);
    });

    it('leave room for a listing or a reason beside the longest lists of the longest values', async () => {
      const list = (first: string) => [
        first,
        ...Array.from({ length: 19 }, (_, i) => `${i} `.padEnd(200, 'açúcar é 🏖️ x'.repeat(20))),
      ];
      const [known] = items.map(({ category, sub_category }) => ({ category, sub_category }));
      const city = list('Curitiba');
      const lists = [{ city }, { city, category: list(known?.category ?? '') }];
      for (const dates of [
        {},
        { date: day(1), date_to: day(6) },
        { date: day(1), date_to: day(9), nights: 2 },
      ])
        for (const given of lists) {
          const { data, text } = await mcp.call('search_listings', { ...given, ...dates, limit: 1 });
          expect(data['items'], text).to.have.length(1);
          expect(data, text).to.have.nested.property('applied_filters.left_out.city', 18);
          expect(text).to.include('18 values of city left out');
          const nothing = await mcp.call('search_listings', {
            ...given,
            ...dates,
            sub_category: list('none'),
            max_price: 0.5,
          });
          expect(nothing.data['without'], nothing.text).not.to.have.length(0);
          const facets = await mcp.call('list_facets', { ...given, ...dates, facet: 'city' });
          expect(facets.data['values'], facets.text).not.to.have.length(0);
        }
    });

    it('name no value by a text of symbols', async () => {
      const { data, text } = await mcp.call('list_facets', { facet: 'city', query: '🏖️' });
      expect(data).to.deep.include({ total: 0, values: [] });
      expect(text).to.include('0 values of city match "🏖️"');
      const search = await mcp.call('search_listings', { city: '🏖️' });
      expect(search.data).to.deep.include({ total: 0, suggestions: { city: [] } });
    });

    it('reduce or raise a limit outside its range, and say so in the text and in the data', async () => {
      for (const [name, args, limit, used] of [
        ['search_listings', {}, 0, 1],
        ['search_listings', { detail: 'concise' }, 500, 20],
        ['list_facets', { facet: 'city' }, 1_000, 100],
      ] as const) {
        const { data, text, isError } = await mcp.call(name, { ...args, limit });
        expect(isError, name).to.equal(false);
        expect(data['notes'], name).to.have.length(1);
        const [note = ''] = data['notes'] as string[];
        expect(note).to.include(`used ${used}.`);
        expect(text.split('\n')[0]).to.equal(note);
        const { data: within } = await mcp.call(name, { ...args, limit: used });
        expect({ ...data, as_of: '', notes: undefined }).to.deep.equal({
          ...within,
          as_of: '',
          notes: undefined,
        });
      }
    });
  });
