import { day, type Random } from '@vitrine/fixtures';
import { post, type RecordedRequest } from './request.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const MODERN = '2026-07-28';
const EARLIER = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
const ids = (random: Random): string => `item-${random.integer(0, 109)}`;

/** Agents' requests to MCP in both eras, and to the UCP catalog over REST and over MCP. */
export function agentRequests(random: Random): RecordedRequest[] {
  const times = (count: number, make: () => RecordedRequest) => Array.from({ length: count }, make);
  return [
    ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].flatMap((method) => [
      modern(method, {}),
      earlier(random, method, {}),
    ]),
    modern('server/discover', {}),
    ...EARLIER.map((protocolVersion) =>
      rpc('/mcp', 'initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }),
    ),
    ...['feeds://categories', 'feeds://cities', 'feeds://listing/item-7', 'feeds://listing/none'].map((uri) =>
      modern('resources/read', { uri }),
    ),
    earlier(random, 'prompts/get', {
      name: 'plan_a_stay',
      arguments: { city: 'Recife', date: day(1), date_to: day(2) },
    }),
    rpc('/ucp/mcp', 'tools/list', {}),
    ...times(45, () => call(random, 'search_listings', searchArguments(random))),
    ...times(15, () => call(random, 'get_listing', { id: ids(random), ...stay(random, 0.5) })),
    ...times(15, () => call(random, 'check_availability', { id: ids(random), ...stay(random, 1) })),
    ...times(20, () => call(random, 'list_facets', facetArguments(random))),
    ...[{}, { limit: 3 }, { after: 9_007_199_254_740_991 }, { after: -1 }, { limit: 0, x: 1 }].map((given) =>
      call(random, 'list_changes', given),
    ),
    call(random, 'get_listing', { id: 'none' }),
    call(random, 'check_availability', { id: 'item-1', date: '2026-02-30' }),
    call(random, 'search_listings', { city: 'Recifee', category: 'cas' }),
    call(random, 'search_listings', { city: 7, date_to: day(1), limit: 21, colour: 'red' }),
    call(random, 'no_such_tool', {}),
    ...times(30, () => catalog(random, 'search', ucpSearch(random))),
    ...times(10, () => catalog(random, 'lookup', { ids: [ids(random), ids(random), 'none'] })),
    ...times(10, () => catalog(random, 'product', { id: ids(random), ...ucpStay(random) })),
    ...[{}, { filters: { date: 'x' } }, { query: 'a', pagination: { cursor: '!' } }].map((body) =>
      catalog(random, 'search', body),
    ),
    catalog(random, 'product', { id: 'none' }),
  ];
}

const rpc = (path: string, method: string, params: object, headers: Record<string, string> = {}) =>
  post(path, { jsonrpc: '2.0', id: 1, method, params }, { ...ACCEPT, ...headers });

const earlier = (random: Random, method: string, params: object, path = '/mcp') =>
  rpc(path, method, params, { 'mcp-protocol-version': random.pick(EARLIER) });

function modern(method: string, params: { name?: string; uri?: string }, path = '/mcp') {
  const name = params.name ?? params.uri;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return rpc(
    path,
    method,
    { ...params, _meta: meta },
    {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
  );
}

function call(random: Random, name: string, given: object, path = '/mcp'): RecordedRequest {
  const params = { name, arguments: given };
  return random.chance(0.5)
    ? modern('tools/call', params, path)
    : earlier(random, 'tools/call', params, path);
}

const UCP_TOOLS = { search: 'search_catalog', lookup: 'lookup_catalog', product: 'get_product' } as const;

function catalog(random: Random, operation: keyof typeof UCP_TOOLS, body: object): RecordedRequest {
  if (random.chance(0.5)) return post(`/ucp/catalog/${operation}`, body);
  return call(random, UCP_TOOLS[operation], { catalog: body }, '/ucp/mcp');
}

const maybe = (random: Random, probability: number, members: () => object): object =>
  random.chance(probability) ? members() : {};

function stay(random: Random, probability: number): object {
  const first = random.integer(-1, 12);
  return maybe(random, probability, () => ({
    date: day(first),
    ...maybe(random, 0.5, () => ({ date_to: day(first + random.integer(0, 4)) })),
  }));
}

const cities = ['São Paulo', 'sao-paulo', 'RECIFE', 'Recif', 'Atlantis', 'Belo Horizonte'];

const filters = (random: Random): object => ({
  ...maybe(random, 0.3, () => ({ ad_type: random.pick(['sale', 'rent', 'service']) })),
  ...maybe(random, 0.4, () => ({ city: random.pick(cities) })),
  ...maybe(random, 0.3, () => ({ category: random.pick(['casa', 'Apartamento', 'barco']) })),
  ...maybe(random, 0.2, () => ({ sub_category: random.pick(['quarto', 'inteiro']) })),
  ...maybe(random, 0.2, () => ({ max_price: random.integer(50, 900) })),
  ...maybe(random, 0.2, () => ({ min_price: random.integer(50, 400) })),
  ...maybe(random, 0.2, () => ({ lat: -8.05, lng: -34.9, local_only: random.chance(0.5) })),
  ...stay(random, 0.5),
});

const searchArguments = (random: Random): object => ({
  ...filters(random),
  ...maybe(random, 0.4, () => ({ limit: random.integer(1, 20) })),
  ...maybe(random, 0.3, () => ({ detail: random.pick(['concise', 'detailed']) })),
});

const facetArguments = (random: Random): object => ({
  facet: random.pick(['city', 'category', 'sub_category', 'ad_type']),
  ...maybe(random, 0.3, () => ({ query: random.pick(['sao', 'R', 'Cas', 'x']) })),
  ...maybe(random, 0.5, () => filters(random)),
  ...maybe(random, 0.3, () => ({ limit: random.integer(1, 5) })),
});

const ucpStay = (random: Random): object => maybe(random, 0.5, () => ({ filters: stay(random, 1) }));

const ucpSearch = (random: Random): object => ({
  query: random.pick(['Anúncio', 'anuncio 7', 'nothing at all']),
  filters: {
    ...maybe(random, 0.3, () => ({ categories: [random.pick(['casa', 'apartamento'])] })),
    ...maybe(random, 0.3, () => ({ price: { min: 10_000, max: random.integer(20_000, 90_000) } })),
    ...maybe(random, 0.3, () => ({ city: random.pick(cities) })),
    ...maybe(random, 0.2, () => ({ ad_type: random.pick(['sale', 'rent']) })),
    ...maybe(random, 0.1, () => ({ bedrooms: 2 })),
    ...stay(random, 0.4),
  },
  pagination: { limit: random.integer(1, 4) },
});
