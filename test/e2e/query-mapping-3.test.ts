import { ITEMS_3, type Item, itemsAlias } from '@vitrine/feed-index';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { createItemsIndex, indexItems, itemsIndex } from '../support/items-index.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

const STATES = ['SP', 'Pernambuco', 'Nova York', undefined];
const items = generateItems(200).map((item, i): Item => {
  const state = STATES[i % STATES.length];
  const location = { ...item.feed_item.location, ...(state !== undefined && { state }) };
  return {
    ...item,
    feed_item: { ...item.feed_item, location, ...(i % 3 > 0 && { rating: 3 + (i % 20) / 10 }) },
  };
});
const DATE = day(1);
/** Requests with parameters that releases before the new mapping also support. */
const OLD = [
  '/public-feed?pageSize=100',
  '/ai-feed?pageSize=100',
  '/ai-feed?page=8',
  '/public-feed?cursor=*&city=sao-paulo',
  '/public-feed?lat=-23.5&lng=-46.6&localOnly=true',
  `/ai-feed?date=${DATE}&date_to=${DATE}&min_price=200`,
  `/public-feed?categoria=casa&data=${DATE}`,
  '/ai-feed?sort=price&page=3',
];
/** Requests that need a field of the new mapping. */
const NEW = [
  'sort=rating',
  'state=pernambuco',
  'min_rating=4.5',
  `date=${DATE}&sort=total_price`,
  `date=${DATE}&max_total_price=5000`,
  `date=${DATE}&date_to=${DATE}&nights=1`,
];

/** The release with items mapping 4 serves mapping 3 until `switch` (docs/operate/upgrading.md). */
describe('a query service on items mapping 3', () => {
  let deployment: QueryDeployment;
  let mcp: McpClient;
  const before3 = new Map<string, string>();

  const get = async (path: string, request: typeof fetchAccepted = fetchAccepted) => {
    const response = await request(`${deployment.origin}/api${path}`);
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
  };
  const contentOf = (text: string) => text.replace(/"generatedAt":"[^"]*"/, '');

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY, CACHE_FRESH_SECONDS: '1' } });
    const { elasticsearch, prefix } = deployment;
    await createItemsIndex(elasticsearch, prefix, 1, { mapping: 3 });
    await indexItems(elasticsearch, itemsIndex(prefix, 1), items, ITEMS_3);
    await createItemsIndex(elasticsearch, prefix, 2, { live: false });
    await indexItems(elasticsearch, itemsIndex(prefix, 2), items);
    mcp = await connectMcp(`${deployment.origin}/mcp`);
  });
  after(async () => {
    await mcp?.close();
    await deployment?.elasticsearch.indices.delete({
      index: itemsIndex(deployment.prefix, 2),
      ignore_unavailable: true,
    });
    await deployment?.close();
  });

  it('answers requests without new parameters', async () => {
    for (const path of OLD) {
      const { status, text } = await get(path);
      expect(status, path).to.equal(200);
      expect(JSON.parse(text).data, path).not.to.deep.equal([]);
      before3.set(path, contentOf(text));
    }
    expect((await mcp.call('search_listings', { date: DATE })).data['total']).to.be.above(0);
    const range = { date: DATE, date_to: day(2) };
    const { data } = await mcp.call('search_listings', range);
    expect(data['total']).to.be.above(0);
    expect(data, 'other stays need a new field').not.to.have.property('neighbouring_stays');
    expect((await mcp.call('list_facets', { facet: 'city', ...range })).data['values']).to.have.length.above(
      1,
    );
    const nothing = await mcp.call('search_listings', { city: 'Recife', min_price: 9_000, ...range });
    expect(nothing.data['total']).to.equal(0);
  });

  it('refuses requests that need a new field, and says how to build it', async () => {
    for (const query of NEW) {
      const { status, retryAfter, text } = await get(`/ai-feed?${query}`, fetch);
      expect(status, query).to.equal(503);
      expect(JSON.parse(text).detail, query).to.include('`replay --from states`, `verify` and `switch`');
      expect(retryAfter).to.match(/^\d+$/);
    }
    const refused = await mcp.call('search_listings', { min_rating: 4 });
    expect(refused.text).to.include('after the next rebuild of the index. Leave them out.');
    const catalog = { filters: { state: 'SP' } };
    const response = await fetch(`${deployment.origin}/ucp/catalog/search`, {
      method: 'POST',
      body: JSON.stringify(catalog),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(JSON.parse(await response.text()).content).to.include(
      '`replay --from states`, `verify` and `switch`',
    );
    const ucp = await connectMcp(`${deployment.origin}/ucp/mcp`);
    const failure = await ucp.call('search_catalog', { catalog }).catch(String);
    await ucp.close();
    expect(failure).to.include('after the next rebuild of the index. Leave them out.');
  });

  it('answers all of them after the switch, and the same as before without new parameters', async () => {
    const { elasticsearch, prefix } = deployment;
    const alias = itemsAlias(prefix);
    const [previous, next] = [itemsIndex(prefix, 1), itemsIndex(prefix, 2)];
    await elasticsearch.indices.updateAliases({
      actions: [{ remove: { index: previous, alias } }, { add: { index: next, alias } }],
    });
    for (const query of NEW)
      await eventually(query, async () => (await get(`/ai-feed?${query}`, fetch)).status === 200, 120_000);
    for (const [path, text] of before3) expect(contentOf((await get(path)).text), path).to.equal(text);
    const rated = items.filter(({ feed_item: { rating = 0 } }) => rating >= 4.5).length;
    const { meta } = JSON.parse((await get('/ai-feed?min_rating=4.5')).text);
    expect(meta.total).to.equal(rated);
  });
});
