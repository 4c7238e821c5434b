/**
 * The table has one rule per folder of src: everything that the folder's files may import. Among the folders,
 * a folder may import only those below it in the table. There are four exceptions: `budget` and `search` import files
 * of each other that import no further files of the two folders, `search/deep` imports three files of `search`,
 * `search/changes` uses the client, the limiter and the failures of `search`
 * (docs/decisions/0043-folders-of-the-query-service.md), and `filters` imports four files that import nothing of
 * the other folders. services/query/README.md, "The path of a request", shows the order of the folders.
 */
const FOLDERS = {
  workers: ['feed-server', 'service', 'settings', 'runtime', 'prom-client'],
  http: [
    'budget',
    'mcp',
    'ucp',
    'discovery',
    'agents',
    'contract',
    'headers',
    'telemetry',
    'request',
    'cache',
    'search',
    'stored',
    'response',
    'docs',
    'web',
    'packages/web',
    'feed-index/src/ad-types',
    'runtime',
    'koa',
    '@koa/router',
    'lru-cache',
  ],
  budget: ['search/search-limiter', 'search/page-too-large', 'search/work-turns'],
  discovery: ['contract', 'filters', 'request', 'docs'],
  web: ['packages/web'],
  ucp: [
    'budget',
    'mcp',
    'agents',
    'contract',
    'filters',
    'request',
    'search',
    'telemetry',
    'feed-index',
    'listing/src/text',
    'ajv',
    'ajv-formats',
    'typebox',
    '@modelcontextprotocol/server',
  ],
  mcp: ['agents', 'budget', '@modelcontextprotocol/server'],
  agents: [
    'budget',
    'contract',
    'filters',
    'request',
    'search',
    'stored',
    'telemetry',
    'feed-index',
    'listing/src/text',
    'runtime',
    'ajv',
    'ajv-formats',
    'gpt-tokenizer',
    'prom-client',
    '@opentelemetry/api',
  ],
  docs: ['contract', 'filters', 'request', 'response', 'feed-index/src/ad-types', 'typebox'],
  telemetry: ['cache', 'headers', 'search', 'runtime', 'prom-client', '@opentelemetry/api'],
  cache: ['response', 'lru-cache'],
  search: [
    'budget/request-budget',
    'budget/shared-memory',
    'filters',
    'request',
    'search',
    'stored',
    'feed-index',
    '@elastic/elasticsearch',
    'prom-client',
    'lru-cache',
  ],
  'search/changes': ['budget/request-budget', 'search', 'stored', 'feed-index', '@elastic/elasticsearch'],
  'search/shallow': ['request', 'search/order', 'lru-cache', '@elastic/elasticsearch'],
  'search/deep': [
    'search/order',
    'search/page-too-large',
    'search/search-limiter',
    'search/shared-counts',
    '@elastic/elasticsearch',
  ],
  'search/order': ['request', 'feed-index', '@elastic/elasticsearch'],
  response: ['contract', 'filters', 'request', 'stored'],
  stored: ['request', 'feed-index', '@elastic/elasticsearch'],
  request: ['contract', 'filters', 'feed-index', 'listing/src/text'],
  headers: ['fresh'],
  contract: ['filters', 'feed-index/src/ad-types', 'feed-index/src/filters', 'ajv', 'ajv-formats', 'typebox'],
  filters: [
    'request/calendar-dates',
    'request/sort-position',
    'search/order/feed-order',
    'agents/answer-text',
    'feed-index',
    'listing/src/text',
  ],
};

/** The imports of the files directly in src, except index.ts. */
const ROOT = [
  'budget',
  'workers',
  'http',
  'discovery',
  'ucp',
  'mcp',
  'agents',
  'contract',
  'telemetry',
  'cache',
  'search',
  'response',
  'request',
  'runtime',
  'prom-client',
  'typebox',
  '@modelcontextprotocol/server',
];

/** Folders that do no input or output and use no client, so their results depend only on their arguments. */
const PURE = [
  'discovery',
  'web',
  'docs',
  'search/order',
  'search/deep',
  'response',
  'stored',
  'request',
  'headers',
  'contract',
  'filters',
];

const SRC = '^services/query/src/';
const TEST = '\\.test\\.ts$';
const INDEX = `${SRC}index\\.ts$`;
const OWN_FOLDERS = new Set(Object.keys(FOLDERS));
const PACKAGES = new Set(['feed-index', 'runtime']);
const VIEWS = 'packages/web';

/** The path of an import, as dependency-cruiser resolves it. */
function pathOf(name) {
  if (name === VIEWS) return `^${VIEWS}/src/(index\\.ts|pages/)`;
  if (name.includes('/src/')) return `^packages/${name}\\.ts$`;
  if (PACKAGES.has(name)) return `^packages/${name}/`;
  if (OWN_FOLDERS.has(name)) return `${SRC}${name}/`;
  if (/^(feed-server|service|settings|budget\/|search\/|request\/|agents\/)/.test(name))
    return `${SRC}${name}\\.ts$`;
  return `node_modules/(@types/)?${name}/`;
}

module.exports = [
  ...Object.entries(FOLDERS).map(([folder, allowed]) => ({
    name: `query-${folder.replace('/', '-')}`,
    severity: 'error',
    // A subfolder has its own rule.
    from: { path: `${SRC}${folder}/[^/]+$`, pathNot: TEST },
    to: {
      dependencyTypesNot: ['core'],
      pathNot: [`${SRC}${folder}/[^/]+$`, ...allowed.map(pathOf)],
    },
  })),
  {
    name: 'query-root',
    comment: 'The composition root handles neither stored bytes nor request headers.',
    severity: 'error',
    from: { path: `${SRC}[^/]+$`, pathNot: [TEST, INDEX] },
    to: { dependencyTypesNot: ['core'], pathNot: [`${SRC}[^/]+$`, ...ROOT.map(pathOf)] },
  },
  {
    name: 'query-index',
    severity: 'error',
    from: { path: INDEX },
    to: { pathNot: [`${SRC}[^/]+$`, ...['agents', 'discovery', 'docs', 'request', 'search'].map(pathOf)] },
  },
  {
    name: 'query-pure-folders',
    severity: 'error',
    // client-address uses only isIPv4 and isIPv6 of node:net.
    from: { path: `${SRC}(${PURE.join('|')})/[^/]+$`, pathNot: [TEST, 'headers/client-address\\.ts$'] },
    to: {
      path: 'node_modules/(@elastic|koa|@koa|pino|prom-client)/|^(node:)?(fs|net|tls|dns|http2|https|cluster|child_process|worker_threads)(/|$)',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'query-searches-in-one-file',
    severity: 'error',
    from: { path: SRC, pathNot: 'search/search-client(\\.test)?\\.ts$' },
    to: { path: 'node_modules/@elastic/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'query-knows-no-events',
    severity: 'error',
    from: { path: '^services/query/' },
    to: { path: '(^packages/(kafka|listing-events)/|node_modules/kafkajs)' },
  },
  {
    name: 'query-loads-no-kafka',
    comment: 'Nor through another package: each of its processes would load the client and never use it.',
    severity: 'error',
    from: { path: SRC, pathNot: TEST },
    to: { path: 'node_modules/kafkajs/', reachable: true },
  },
];
