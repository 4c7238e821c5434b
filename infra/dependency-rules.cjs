/**
 * These rules say which folder may import what. `WORKSPACES` lists what the repository's folders may import
 * from each other, and `LAYERS` orders the folders inside a workspace. Every other import is an error, even a
 * type import. Tests beside the code are exempt. ARCHITECTURE.md, "Direction", explains the order.
 */
const TESTS = '\\.test\\.ts$';
const CODE = '^(packages|services|demo|test|bench|scripts|infra)/';
/** What tests import from the services, and what a mapping module imports from the ingest. */
const MAPPINGS = '^services/ingest/src/(mapping\\.ts$|mappings/)';
const SERVICES = `^services/[^/]+/src/index\\.ts$|${MAPPINGS}`;
const PROCESSES = '^packages/runtime/src/processes/';

const packages = (...names) => `^packages/(${names.join('|')})/`;

/** The imports of each folder outside itself, as regular expressions. */
const WORKSPACES = {
  // The slug of a state. The file imports nothing from this repository.
  'packages/feed-index': ['^packages/listing/src/text\\.ts$'],
  'packages/listing-events': ['^packages/feed-index/src/ad-types\\.ts$'],
  'packages/listing': [packages('feed-index', 'listing-events')],
  'packages/runtime': [],
  'packages/kafka': [packages('runtime')],
  'packages/projection': [packages('feed-index', 'kafka', 'listing', 'listing-events', 'runtime')],
  'packages/fixtures': [packages('feed-index', 'listing', 'listing-events')],
  'packages/engines': [PROCESSES],
  // The tables that the explorer shares with the service. These files import nothing else.
  'packages/web': [
    '^packages/feed-index/src/(ad-types|filters|generation-record|item|state-names)\\.ts$',
    // Only types, as the rule pages-import-types ensures.
    '^services/operator/src/',
    '^services/query/src/contract/problem\\.ts$',
  ],
  'services/projector': [packages('feed-index', 'kafka', 'listing', 'projection', 'runtime')],
  'services/ingest': [packages('kafka', 'listing-events', 'projection', 'runtime')],
  'services/query': [
    packages('feed-index', 'runtime', 'web'),
    '^packages/listing/src/text\\.ts$',
    // Only the schema that the service publishes. The package's other files compile validators.
    '^packages/listing-events/src/published-schema\\.ts$',
  ],
  'services/operator': [
    packages('feed-index', 'kafka', 'listing', 'listing-events', 'projection', 'runtime', 'web'),
  ],
  demo: [
    packages('engines', 'fixtures', 'kafka', 'listing-events', 'projection', 'runtime'),
    '^services/query/src/(index|settings)\\.ts$',
    // The mapping of the demo's database.
    '^docs/start/debezium/',
    '^services/ingest/src/mapping\\.ts$',
  ],
  bench: [
    '^packages/(?!web/)',
    '^services/(query|operator)/src/index\\.ts$',
    '^services/ingest/src/mappings/(debezium-rows|whole-listing)\\.ts$',
    '^test/support/(http-load|postgres|service-process|views/lighthouse|worst/(hostile-market|request-generator))\\.ts$',
  ],
  scripts: [
    packages('engines', 'kafka', 'listing-events', 'projection', 'runtime'),
    '^packages/web/build\\.mjs$',
    '^package\\.json$',
    '^services/query/src/index\\.ts$',
    '^test/containers/support/',
  ],
  infra: ['^packages/', '^services/[^/]+/src/(index|settings)\\.ts$', MAPPINGS, '^test/support/'],
  'test/support': ['^packages/', SERVICES],
  'test/soak': ['^packages/', '^test/support/'],
  'test/soak/plan': [packages('fixtures')],
  'test/e2e': [
    '^packages/',
    SERVICES,
    '^test/(support|contract)/',
    // The test of the images compares the packages with the license page.
    '^scripts/licences\\.ts$',
    // The test of the bench's peer.
    '^bench/(dataset|query-kinds|subjects|peers/postgres-dataset)\\.ts$',
  ],
  'test/faults': ['^packages/', SERVICES, '^test/(support|contract)/'],
  // The tests of the soak.
  'test/alone': ['^packages/', SERVICES, '^test/(support|contract|soak)/'],
  'test/cluster': ['^packages/', '^test/support/'],
  'test/containers': ['^packages/', '^test/support/'],
  'test/browser': ['^packages/', SERVICES, '^test/(support|contract)/'],
  'test/contract': ['^packages/', SERVICES, '^test/support/'],
};

/**
 * The folders in a workspace's source, in order: a folder may import those that follow it. Folders in the same
 * list do not import each other. The dot stands for the files outside of these folders, except index.ts.
 */
const LAYERS = {
  'packages/kafka/src': ['.', 'format'],
  'packages/projection/src': [
    ['generations', 'topics'],
    '.',
    'chunks',
    ['store', 'dead-letters'],
    'progress',
  ],
  'packages/runtime/src': ['service', ['tracing', 'elasticsearch'], '.', 'processes'],
  'packages/web/src/browser': [['explorer', 'console', 'docs'], 'components'],
  'services/operator/src': [
    'cli',
    ['console', 'text'],
    'machine',
    'listings',
    ['check', 'explain', 'reconcile', 'repair', 'replay'],
    'verify',
    'dead-letters',
    'history',
    ['records', 'status', 'followers', 'topics'],
    '.',
  ],
  'services/query/src': [
    '.',
    'workers',
    'http',
    ['web', 'discovery', 'ucp'],
    'mcp',
    'agents',
    ['docs', 'telemetry'],
    'cache',
    'budget',
    'search',
    'response',
    'stored',
    'request',
    ['headers', 'contract'],
    'filters',
  ],
};

/**
 * Files that a folder imports although they are in an earlier folder. Except for request-budget.ts, they import
 * nothing from the importing folder.
 */
const EXCEPTIONS = {
  'services/operator/src/topics': 'text/plain-text',
  'services/query/src/workers': '(feed-server|service|settings)\\.',
  'services/query/src/search': 'budget/request-budget\\.',
  'services/query/src/filters':
    '(request/(calendar-dates|sort-position|stay-window)|search/(order/feed-order|stays/stay-clauses)|agents/answer-text)\\.',
};

/** Code without input or output: its results depend only on its arguments. */
const PURE =
  '^services/operator/src/machine/(model|(build|replay|switch|completion|prune)-[a-z]+)\\.ts$|' +
  '^(packages/(feed-index|listing|listing-events)/src|packages/kafka/src/format|services/operator/src/text|' +
  'services/query/src/(contract|discovery|docs|filters|headers|request|response|search/(deep|order)|stored|web))/';
const CLIENTS =
  'node_modules/(@elastic|kafkajs|koa|@koa|pino|prom-client)/|' +
  '^(node:)?(child_process|cluster|dns|fs|https|http2|net|tls|worker_threads)(/|$)';

const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

const workspaceRules = Object.entries(WORKSPACES).map(([folder, allowed]) =>
  rule(
    folder.replace('/', '-'),
    { path: `^${folder}/`, pathNot: /^(test|bench|infra)/.test(folder) ? [] : [TESTS] },
    { dependencyTypesNot: ['core'], pathNot: [`^${folder}/`, 'node_modules/', ...allowed] },
  ),
);

const layerRules = Object.entries(LAYERS).flatMap(([source, layers]) => {
  const inDot = layers.flat().filter((name) => name !== '.');
  const pathOf = (name) =>
    name === '.' ? `^${source}/(?!(${inDot.join('|')})/|index\\.ts$)` : `^${source}/${name}/`;
  // The first folder may import all others.
  return layers.flatMap((layer, index) =>
    [layer].flat().flatMap((name) => {
      if (index === 0 && !Array.isArray(layer)) return [];
      const exception = EXCEPTIONS[`${source}/${name}`];
      return rule(
        `${source.replace('/src', '').replaceAll('/', '-')}-${name === '.' ? 'root' : name}`,
        { path: pathOf(name), pathNot: [TESTS] },
        {
          path: `^${source}/`,
          pathNot: [
            pathOf(name),
            ...layers
              .slice(index + 1)
              .flat()
              .map(pathOf),
            ...(exception ? [`^${source}/${exception}`] : []),
          ],
        },
      );
    }),
  );
});

module.exports = [
  ...workspaceRules,
  ...layerRules,
  rule('runtime-knows-no-domain', { path: '^packages/runtime/' }, { path: '^packages/(?!runtime/)' }),
  rule(
    'engines-parts',
    { path: '^packages/engines/src/(docker|download|jvm|sources)/', pathNot: TESTS },
    { path: '^packages/engines/src/(index|main|testing|engines|sources)\\.ts$' },
    'These folders do not import the files that start the engines.',
  ),
  rule(
    'pure-code',
    // client-address uses only isIPv4 and isIPv6 of node:net.
    { path: PURE, pathNot: [TESTS, 'headers/client-address\\.ts$'] },
    { path: CLIENTS, dependencyTypesNot: ['type-only'] },
  ),
  rule(
    'pages-import-types',
    { path: '^packages/web/' },
    { path: '^services/', dependencyTypesNot: ['type-only'] },
    'The bundles of the pages contain no code of a service.',
  ),
  rule(
    'kafkajs-in-one-package',
    { pathNot: '^packages/kafka/' },
    { path: '(^|/)node_modules/kafkajs/' },
    'Only packages/kafka has the guards. Its exports contain no type of kafkajs.',
  ),
  rule(
    'query-loads-no-kafka',
    { path: '^services/query/src/', pathNot: TESTS },
    { path: 'node_modules/kafkajs/', reachable: true },
    'Nor through another package: each of its processes would load the client and never use it.',
  ),
  rule(
    'query-searches-in-one-file',
    { path: '^services/query/src/', pathNot: 'search/(search-client|direct-search)(\\.test)?\\.ts$' },
    { path: 'node_modules/@elastic/', dependencyTypesNot: ['type-only'] },
  ),
  rule(
    'followers-are-clients',
    { path: '^services/operator/src/followers/', pathNot: TESTS },
    { path: `${CODE}|node_modules/`, pathNot: '^services/operator/src/followers/' },
    'These files use the public interface only, as any client does.',
  ),
  rule(
    'pages-load-only-preact',
    { path: '^packages/web/src/browser/', pathNot: TESTS },
    {
      dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-no-pkg'],
      pathNot: 'node_modules/(preact|minisearch)/',
    },
    'The scripts of the pages run in a browser.',
  ),
  rule(
    'pages-are-data-for-services',
    { path: '^(services|demo)/' },
    { path: '^packages/web/src/browser/' },
    'The services import the files and the HTML of the pages, never their code.',
  ),
];
