/**
 * Each rule lists the folders and packages that one folder of the write side or of packages/runtime may
 * import. Every other import is an error, even a type import, so the folders have a fixed order. Tests are
 * exempt. ARCHITECTURE.md, "Direction", shows the order.
 */
const PROJECTION = 'packages/projection/src';
const OPERATOR = 'services/operator/src';
const RUNTIME = 'packages/runtime/src';
const KAFKA = 'packages/kafka/src';

const node = (...modules) => modules.map((name) => `^(node:)?${name}$`);
const npm = (...names) => names.map((name) => `(^|/)node_modules/${name}/`);
const packages = (...names) => names.map((name) => `^packages/${name}/`);

const TESTS = '\\.test\\.ts$';

/** @param allowed regular expressions for the imports that the folder may have besides its own files */
const folder = (name, path, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^${path}/`, pathNot: [TESTS] },
  to: { pathNot: [`^${path}/`, ...allowed] },
});

/** The same rule for the files directly in a folder. The subfolders have their own rules. */
const rootFiles = (name, path, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^${path}/[^/]+$`, pathNot: [TESTS] },
  to: { pathNot: [`^${path}/[^/]+$`, ...allowed] },
});

const filesOf = (path, ...names) => names.map((name) => `^${path}/${name}\\.ts$`);
const inProjection = (...names) => names.map((name) => `^${PROJECTION}/${name}/`);
const inOperator = (...names) => names.map((name) => `^${OPERATOR}/${name}/`);

module.exports = [
  // The pure packages use no client and no clock, and do no input or output.
  folder('listing', 'packages/listing/src', [
    ...packages('feed-index', 'listing-events'),
    ...npm('entities'),
  ]),
  folder('listing-events', 'packages/listing-events/src', [
    '^packages/feed-index/src/ad-types\\.ts$',
    ...npm('ajv', 'ajv-formats'),
  ]),
  folder('feed-index', 'packages/feed-index/src', npm('@elastic/elasticsearch')),
  {
    name: 'feed-index-and-listing-are-pure',
    severity: 'error',
    from: { path: '^packages/(feed-index|listing)/src/', pathNot: '\\.test\\.ts$' },
    to: { path: 'node_modules/@elastic/', dependencyTypesNot: ['type-only'] },
  },

  // Each folder of the runtime has one responsibility.
  {
    name: 'runtime-knows-no-domain',
    comment: 'Nor do its tests.',
    severity: 'error',
    from: { path: '^packages/runtime/' },
    to: { path: '^packages/', pathNot: '^packages/runtime/' },
  },
  rootFiles('runtime-root', RUNTIME, [
    ...node('crypto', 'fs'),
    ...npm('@opentelemetry/api', 'ajv', 'ajv-formats', 'pino', 'typebox'),
  ]),
  folder('runtime-elasticsearch', `${RUNTIME}/elasticsearch`, [
    ...filesOf(RUNTIME, 'credentials'),
    ...npm('@elastic/elasticsearch', 'prom-client'),
  ]),
  folder(
    'runtime-processes',
    `${RUNTIME}/processes`,
    node(
      'child_process',
      'events',
      'fs',
      'fs/promises',
      'net',
      'readline',
      'stream',
      'timers/promises',
      'url',
    ),
  ),
  folder('runtime-tracing', `${RUNTIME}/tracing`, [
    ...filesOf(RUNTIME, 'log', 'settings'),
    ...node('timers/promises'),
    ...npm('@opentelemetry/[^/]+'),
  ]),
  folder('runtime-service', `${RUNTIME}/service`, [
    `^${RUNTIME}/(processes|tracing)/`,
    ...filesOf(RUNTIME, 'log', 'settings'),
    ...node('http', 'net'),
  ]),

  // The package that owns Kafka. Its parsers know no client.
  folder('kafka-format', `${KAFKA}/format`, [...node('util', 'zlib'), ...npm('lz4js', 'snappyjs')]),
  rootFiles('kafka', KAFKA, [
    `^${KAFKA}/format/`,
    ...filesOf(RUNTIME, 'credentials', 'log', 'settings'),
    ...node('async_hooks', 'module', 'timers/promises'),
    ...npm('kafkajs', 'p-queue', 'typebox'),
  ]),

  {
    name: 'kafkajs-in-one-package',
    comment: 'Only packages/kafka has the guards. Its exports contain no type of kafkajs.',
    severity: 'error',
    from: { pathNot: '^packages/kafka/' },
    to: { path: '(^|/)node_modules/kafkajs/' },
  },

  // The folders of the projection, in the order in which data flows through them.
  folder('projection-progress', `${PROJECTION}/progress`, []),
  folder('projection-dead-letters', `${PROJECTION}/dead-letters`, [
    ...packages('kafka', 'listing', 'listing-events'),
    ...node('crypto'),
    ...npm('lru-cache'),
  ]),
  folder('projection-chunks', `${PROJECTION}/chunks`, [
    ...inProjection('dead-letters'),
    ...packages('kafka', 'listing-events', 'runtime'),
    ...npm('@opentelemetry/api'),
  ]),
  folder('projection-store', `${PROJECTION}/store`, [
    ...packages('feed-index', 'listing', 'runtime'),
    ...node('timers/promises'),
    ...npm('@elastic/elasticsearch', 'lru-cache'),
  ]),
  folder('projection-topics', `${PROJECTION}/topics`, [...packages('kafka', 'listing-events', 'runtime')]),
  folder('projection-generations', `${PROJECTION}/generations`, [
    ...inProjection('progress', 'dead-letters', 'store'),
    `^${PROJECTION}/(cpu-turns|limits|listing-consumer|metrics|projection|settings)\\.ts$`,
    ...packages('feed-index', 'kafka', 'listing', 'runtime'),
    ...node('util'),
    ...npm('@elastic/elasticsearch'),
  ]),
  rootFiles(
    'projection-root',
    PROJECTION,
    [
      ...inProjection('progress', 'dead-letters', 'chunks', 'store'),
      ...packages('feed-index', 'kafka', 'listing', 'listing-events', 'runtime'),
      ...node('timers/promises', 'util'),
      ...npm('@elastic/elasticsearch', 'p-queue', 'prom-client', 'typebox'),
    ],
    'The store loop must not import generations or topics.',
  ),

  // The services.
  folder(
    'projector',
    'services/projector/src',
    [
      ...packages('feed-index', 'kafka', 'listing', 'projection', 'runtime'),
      ...node('timers/promises'),
      ...npm('@elastic/elasticsearch'),
    ],
    'The projector only composes. Only the projection handles events and Kafka records.',
  ),
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
    ...packages('kafka', 'projection', 'runtime'),
  ]),
  folder('operator-status', `${OPERATOR}/status`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...packages('feed-index', 'kafka', 'projection', 'runtime'),
    ...npm('@elastic/elasticsearch'),
  ]),
  folder('operator-records', `${OPERATOR}/records`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...packages('kafka', 'projection'),
    ...node('crypto', 'timers/promises'),
  ]),
  folder('operator-dead-letters', `${OPERATOR}/dead-letters`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...inOperator('records'),
    ...packages('kafka', 'listing-events', 'projection', 'runtime'),
    ...node('buffer'),
  ]),
  folder(
    'operator-followers',
    `${OPERATOR}/followers`,
    node('fs', 'fs/promises', 'timers/promises'),
    'These files use the public interface only, as any client does.',
  ),
  folder('operator-replay', `${OPERATOR}/replay`, [
    `^${OPERATOR}/command-context\\.ts$`,
    ...inOperator('dead-letters', 'verify'),
    ...packages('feed-index', 'kafka', 'listing', 'projection', 'runtime'),
    ...node('crypto', 'os', 'timers/promises'),
    ...npm('@elastic/elasticsearch'),
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
    ...inOperator('dead-letters', 'records', 'verify'),
    ...packages('feed-index', 'kafka', 'listing', 'listing-events', 'projection'),
    ...npm('@elastic/elasticsearch'),
  ]),
  folder(
    'operator-console',
    `${OPERATOR}/console`,
    [
      ...filesOf(OPERATOR, 'exit-code', 'progress-rate'),
      ...inOperator('status'),
      ...packages('runtime', 'web'),
      ...node('crypto', 'events', 'http', 'net', 'stream/consumers', 'timers/promises'),
    ],
    'The console runs commands of the command line, which the command `console` passes to it.',
  ),
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
  folder('operator-cli', `${OPERATOR}/cli`, [
    ...filesOf(OPERATOR, 'command-context', 'exit-code', 'progress-rate'),
    ...inOperator(
      'console',
      'dead-letters',
      'explain',
      'followers',
      'records',
      'replay',
      'status',
      'text',
      'topics',
      'verify',
    ),
    ...packages('feed-index', 'kafka', 'listing', 'projection', 'runtime'),
    ...node('fs', 'fs/promises', 'module', 'os', 'path'),
    ...npm('commander', 'typebox'),
  ]),
  {
    ...rootFiles('operator-root', OPERATOR, packages('feed-index', 'kafka', 'projection')),
    comment: 'All folders may import these files. Only index.ts imports the folders.',
    from: { path: `^${OPERATOR}/[^/]+$`, pathNot: [TESTS, `^${OPERATOR}/index\\.ts$`] },
  },
  {
    name: 'operator-index',
    severity: 'error',
    from: { path: `^${OPERATOR}/index\\.ts$` },
    to: { pathNot: `^${OPERATOR}/` },
  },
];
