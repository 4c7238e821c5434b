/**
 * The rules for folders outside the services and the projection. Each rule lists the folders of the
 * repository that a folder may import. These folders may import any package of the registry and any module of
 * Node.
 */
const ENGINES = 'packages/engines/src';

/**
 * @param path the files of the folder, as a regular expression
 * @param allowed the paths that these files may import, as regular expressions
 */
const folder = (name, path, allowed, from = {}) => ({
  name,
  severity: 'error',
  from: { path: `^${path}`, ...from },
  to: { dependencyTypesNot: ['core'], pathNot: [`^${path}`, 'node_modules/', ...allowed] },
});

const packages = (...names) => names.map((name) => `^packages/${name}/`);
const NO_TESTS = { pathNot: '\\.test\\.ts$' };
const PROCESSES = '^packages/runtime/src/processes/';

module.exports = [
  folder('engines', 'packages/engines/', [PROCESSES], NO_TESTS),
  ...['docker', 'download', 'jvm'].map((name) => ({
    name: `engines-${name}`,
    comment: 'These folders must not import the files that start the engines.',
    severity: 'error',
    from: { path: `^${ENGINES}/${name}/`, ...NO_TESTS },
    to: { path: `^${ENGINES}/(index|main|testing|engines)\\.ts$` },
  })),
  folder('fixtures', 'packages/fixtures/', packages('feed-index', 'listing', 'listing-events'), NO_TESTS),
  folder(
    'demo',
    'demo/',
    [
      ...packages('engines', 'fixtures', 'kafka', 'listing-events', 'projection', 'runtime'),
      '^services/query/src/(index|settings)\\.ts$',
    ],
    NO_TESTS,
  ),
  folder('bench', 'bench/', [
    ...packages(
      'engines',
      'feed-index',
      'fixtures',
      'kafka',
      'listing',
      'listing-events',
      'projection',
      'runtime',
    ),
    '^services/(query|operator)/src/index\\.ts$',
    '^test/support/(http-load|service-process|worst/(hostile-market|request-generator))\\.ts$',
  ]),
  folder(
    'scripts',
    'scripts/',
    [
      ...packages('engines', 'kafka', 'listing-events', 'projection', 'runtime'),
      '^packages/web/build.mjs$',
      // The version and the interfaces of a release.
      '^package\\.json$',
      '^services/query/src/index\\.ts$',
      '^test/containers/support/',
    ],
    NO_TESTS,
  ),
  folder('test-support', 'test/support/', ['^packages/', '^services/[^/]+/src/index\\.ts$']),
  folder('test-soak', 'test/soak/', ['^packages/', '^test/support/']),
  folder('soak-plan', 'test/soak/plan/', packages('fixtures'), NO_TESTS),
  folder(
    'soak-load',
    'test/soak/load/',
    [...packages('fixtures', 'kafka'), '^test/soak/(plan|checks)/'],
    NO_TESTS,
  ),
  folder('test-e2e', 'test/e2e/', [
    '^packages/',
    '^services/[^/]+/src/index\\.ts$',
    '^test/(support|contract)/',
    // The test of the images compares the packages with the page of licenses.
    '^scripts/licences.ts$',
    // The test of the bench's peer.
    '^bench/(dataset|query-kinds|subjects|peers/postgres-dataset)\\.ts$',
  ]),
  folder('test-faults', 'test/faults/', [
    '^packages/',
    '^services/[^/]+/src/index\\.ts$',
    '^test/(support|contract)/',
  ]),
  folder('test-alone', 'test/alone/', [
    '^packages/',
    '^services/[^/]+/src/index\\.ts$',
    '^test/(support|contract)/',
    // The tests of the soak.
    '^test/soak/(run-soak|plan/schedule)\\.ts$',
  ]),
  folder('test-containers', 'test/containers/', ['^packages/', '^test/support/']),
  folder('test-browser', 'test/browser/', [
    '^packages/',
    '^services/[^/]+/src/index\\.ts$',
    '^test/(support|contract)/',
  ]),
  folder('test-contract', 'test/contract/', [
    '^packages/',
    '^services/[^/]+/src/index\\.ts$',
    '^test/support/',
  ]),
  folder('infra', 'infra/', ['^packages/', '^services/[^/]+/src/(index|settings)\\.ts$', '^test/support/']),
];
