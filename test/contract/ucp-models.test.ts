import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { day, generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { pythonPackages } from '../support/python.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const PACKAGE = 'ucp-sdk==0.5.0';
const MODELS = {
  profile: 'profile:BusinessSchema',
  searchRequest: 'shopping.catalog_search:SearchRequest',
  search: 'shopping.catalog_search:SearchResponse',
  lookupRequest: 'shopping.catalog_lookup:LookupRequest',
  lookup: 'shopping.catalog_lookup:LookupResponse',
  productRequest: 'shopping.catalog_lookup:GetProductRequest',
  product: 'shopping.catalog_lookup:GetProductResponse',
  error: 'common.types.error_response:ErrorResponse',
} as const;

type Operation = 'search' | 'lookup' | 'product';
interface Body {
  ucp: { status?: string };
  products?: { id: string; title?: string }[];
}
const TOOLS = { search: 'search_catalog', lookup: 'lookup_catalog', product: 'get_product' } as const;

const items = inFeedOrder(generateItems(120));
const ids = items.slice(0, 20).map(({ id }) => id);
const REQUESTS: readonly (readonly [Operation, object])[] = [
  ['search', { query: items[0]?.title_words[0], pagination: { limit: 3 } }],
  ['search', { filters: { price: { min: 0, max: 100_000 } } }],
  ['search', { filters: { categories: ['apartamento', 'casa'] }, context: { currency: 'EUR' } }],
  ['search', { filters: { city: 'Recife', date: day(3), date_to: day(5), unknown: true } }],
  ['search', { filters: { city: 'Nowhere' } }],
  ['lookup', { ids: [...ids, 'nothing'], filters: { date: day(2) } }],
  ['lookup', { ids: ['nothing'] }],
  ...ids.map((id) => ['product', { id, filters: { date: day(1), date_to: day(4) } }] as const),
  ['product', { id: 'nothing' }],
];

describe("UCP's models in Python", () => {
  let deployment: QueryDeployment;
  let mcp: McpClient;
  let python: string;

  before(async function () {
    const found = await pythonPackages(PACKAGE.replace('==', '-'), [PACKAGE]);
    if ('missing' in found) {
      process.stderr.write(`# skipped: ${PACKAGE} is not available. ${found.missing}\n`);
      return this.skip();
    }
    python = join(found.programs, 'python3');
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(items);
    mcp = await connectMcp(`${deployment.origin}/ucp/mcp`);
  });
  after(async () => {
    await mcp?.close();
    await deployment?.close();
  });

  const validate = (documents: readonly { model: string; body: unknown }[]): string[] =>
    execFileSync(python, [join(import.meta.dirname, 'ucp_models.py')], {
      input: documents.map((document) => JSON.stringify(document)).join('\n'),
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    })
      .trim()
      .split('\n');
  const rest = async (operation: Operation, request: object): Promise<Body> => {
    const response = await fetchAccepted(`${deployment.origin}/ucp/catalog/${operation}`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { 'Content-Type': 'application/json' },
    });
    return (await response.json()) as Body;
  };
  const responseModel = (operation: Operation, { ucp }: Body) =>
    ucp.status === 'error' ? MODELS.error : MODELS[operation];

  it('accept the profile, and the requests and responses of every operation over REST and MCP', async () => {
    const profile: unknown = await (await fetch(`${deployment.origin}/.well-known/ucp`)).json();
    const documents: { model: string; body: unknown }[] = [{ model: MODELS.profile, body: profile }];
    for (const [operation, request] of REQUESTS) {
      const body = await rest(operation, request);
      const { data } = await mcp.call(TOOLS[operation], { catalog: request });
      documents.push(
        { model: MODELS[`${operation}Request`], body: request },
        { model: responseModel(operation, body), body },
        { model: responseModel(operation, body), body: data },
      );
    }
    const results = validate(documents);
    expect(results).to.have.length(documents.length);
    expect(results.filter((result) => result !== 'ok')).to.deep.equal([]);
  });

  it('refuse a product without a title', async () => {
    const body = await rest('search', { filters: { price: { min: 0 } } });
    delete body.products?.[0]?.title;
    expect(validate([{ model: MODELS.search, body }])[0]).to.match(/'title'\) Field required$/);
  });
});
