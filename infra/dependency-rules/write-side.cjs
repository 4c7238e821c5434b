/**
 * Each rule lists the folders and packages that one folder of the write side may import. Every other import
 * is an error, even a type import, so the folders have a fixed order. Tests are exempt. ARCHITECTURE.md,
 * "Direction", shows the order.
 */
const PROJECTION = 'packages/projection/src';
const OPERATOR = 'services/operator/src';

const node = (...modules) => modules.map((name) => `^(node:)?${name}$`);
const npm = (...names) => names.map((name) => `(^|/)node_modules/${name}/`);
const packages = (...names) => names.map((name) => `^packages/${name}/`);

const TESTS = '\\.test\\.ts$';

/** @param allowed regular expressions for the imports that the folder may have besides its own files */
const folder = (name, path, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: {
    path: `^${path}/`,
    pathNot: path === `${PROJECTION}/kafka` ? [TESTS, `^${path}/format/`] : [TESTS],
  },
  to: { pathNot: [`^${path}/`, ...allowed] },
});

const inProjection = (...names) => names.map((name) => `^${PROJECTION}/${name}/`);
const inOperator = (...names) => names.map((name) => `^${OPERATOR}/${name}/`);

module.exports = [
  // The pure packages use no client and no clock, and do no input or output.
  folder('listing', 'packages/listing/src', [
    ...packages('feed-index', 'listing-events'),
    ...npm('entities'),
  ]),
  folder('listing-events', 'packages/listing-events/src', npm('ajv', 'ajv-formats')),
  folder('feed-index', 'packages/feed-index/src', npm('@elastic/elasticsearch')),
  {
    name: 'feed-index-and-listing-are-pure',
    severity: 'error',
    from: { path: '^packages/(feed-index|listing)/src/', pathNot: '\\.test\\.ts$' },
    to: { path: 'node_modules/@elastic/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'runtime-knows-no-domain',
    severity: 'error',
    from: { path: '^packages/runtime/' },
    to: { path: '^(packages|services|demo|bench)/', pathNot: '^packages/runtime/' },
  },

  // The folders of the projection, in the order in which data flows through them.
  folder('projection-format', `${PROJECTION}/kafka/format`, [
    ...packages('listing-events'),
    ...node('util', 'zlib'),
    ...npm('lz4js', 'snappyjs'),
  ]),
  folder('projection-kafka', `${PROJECTION}/kafka`, [
    ...packages('runtime'),
    ...node('async_hooks', 'module'),
    ...npm('kafkajs', 'p-queue'),
  ]),
  folder('projection-progress', `${PROJECTION}/progress`, []),
  folder('projection-dead-letters', `${PROJECTION}/dead-letters`, [
    ...inProjection('kafka'),
    ...packages('listing', 'listing-events'),
    ...node('crypto'),
    ...npm('kafkajs', 'lru-cache'),
  ]),
  folder('projection-chunks', `${PROJECTION}/chunks`, [
    ...inProjection('kafka', 'dead-letters'),
    ...packages('listing-events', 'runtime'),
    ...npm('@opentelemetry/api'),
  ]),
  folder('projection-store', `${PROJECTION}/store`, [
    ...packages('feed-index', 'listing', 'runtime'),
    ...node('timers/promises'),
    ...npm('@elastic/elasticsearch', 'lru-cache'),
  ]),
  folder('projection-topics', `${PROJECTION}/topics`, [
    ...packages('listing-events', 'runtime'),
    ...npm('kafkajs'),
  ]),
  folder('projection-generations', `${PROJECTION}/generations`, [
    ...inProjection('kafka', 'progress', 'dead-letters', 'store'),
    `^${PROJECTION}/(cpu-turns|limits|listing-consumer|metrics|projection|settings)\\.ts$`,
    ...packages('feed-index', 'listing', 'runtime'),
    ...node('util'),
    ...npm('@elastic/elasticsearch', 'kafkajs'),
  ]),
  {
    name: 'projection-loop',
    comment: 'The store loop must not import generations or topics.',
    severity: 'error',
    from: { path: `^${PROJECTION}/[^/]+\\.ts$`, pathNot: `^${PROJECTION}/index\\.ts$|\\.test\\.ts$` },
    to: { path: `^${PROJECTION}/(generations|topics)/` },
  },

  // The services.
  {
    name: 'projector-knows-no-records',
    comment: 'The projector only composes. Only the projection handles events and Kafka records.',
    severity: 'error',
    from: { path: '^services/projector/src/', pathNot: '\\.test\\.ts$' },
    to: { path: '^packages/listing-events/' },
  },
  {
    name: 'nothing-imports-the-operator',
    severity: 'error',
    from: { path: '^(packages|services|demo)/', pathNot: '^services/operator/' },
    to: { path: '^services/operator/' },
  },
  {
    name: 'only-listing-text-for-queries',
    severity: 'error',
    from: { path: '^services/query/' },
    to: { path: '^packages/(listing|projection)/', pathNot: '^packages/listing/src/text\\.ts$' },
  },
  folder('operator-topics', `${OPERATOR}/topics`, [
    `^${OPERATOR}/text/plain-text\\.ts$`,
    ...packages('projection', 'runtime'),
    ...npm('kafkajs'),
  ]),
  folder('operator-status', `${OPERATOR}/status`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...packages('feed-index', 'projection', 'runtime'),
    ...npm('@elastic/elasticsearch', 'kafkajs'),
  ]),
  folder('operator-dead-letters', `${OPERATOR}/dead-letters`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...packages('listing-events', 'projection', 'runtime'),
    ...node('crypto', 'timers/promises'),
    ...npm('kafkajs'),
  ]),
  folder('operator-replay', `${OPERATOR}/replay`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...inOperator('dead-letters'),
    ...packages('feed-index', 'listing', 'projection', 'runtime'),
    ...node('crypto', 'os', 'timers/promises'),
    ...npm('@elastic/elasticsearch', 'kafkajs'),
  ]),
  folder('operator-verify', `${OPERATOR}/verify`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...inOperator('dead-letters'),
    ...packages('feed-index', 'listing', 'projection'),
    ...node('crypto', 'timers/promises'),
    ...npm('@elastic/elasticsearch'),
  ]),
  folder('operator-explain', `${OPERATOR}/explain`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...inOperator('dead-letters', 'verify'),
    ...packages('feed-index', 'listing', 'listing-events', 'projection'),
    ...npm('@elastic/elasticsearch'),
  ]),
  folder(
    'operator-text',
    `${OPERATOR}/text`,
    [
      ...inOperator('dead-letters', 'explain', 'status', 'topics', 'verify'),
      ...packages('feed-index', 'projection'),
      ...npm('cli-table3'),
    ],
    'Pure: formats results for people.',
  ),
  {
    name: 'operator-cli-is-last',
    severity: 'error',
    from: { path: `^${OPERATOR}/`, pathNot: `^${OPERATOR}/(cli/|index\\.ts$)|\\.test\\.ts$` },
    to: { path: `^${OPERATOR}/cli/` },
  },
];
