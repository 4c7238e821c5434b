import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';
import { expect } from 'chai';
import type { ICruiseResult } from 'dependency-cruiser';

const ROOT = join(import.meta.dirname, '..');
const CONFIGURATION = join(ROOT, '.dependency-cruiser.cjs');

/**
 * A file with one import, and the rule that rejects the import. A target that is not a path is a package from
 * the registry.
 */
type Planted = [rule: string, file: string, target: string, form?: 'type'];

const FOLDERS = ['packages', 'services', 'demo', 'test', 'bench', 'scripts', 'infra'];

const Q = 'services/query/src';
const O = 'services/operator/src';
const P = 'packages/projection/src';
const E = 'packages/engines/src';
const R = 'packages/runtime/src';
const K = 'packages/kafka/src';
const W = 'packages/web/src/browser';

/** At least one deliberately wrong import per rule. */
const REJECTED: Planted[] = [
  ['the-oracle-shares-no-code', 'test/support/oracle/a.ts', 'packages/feed-index/src/index.ts'],
  ['the-equality-shares-no-code', 'test/support/equality/a.ts', 'packages/listing/src/index.ts'],
  ['the-equality-shares-no-code', 'test/support/equality/b.ts', 'test/support/deployment.ts'],
  ['the-oracle-of-the-bench-shares-no-code', 'bench/agents/oracle/a.ts', 'packages/listing/src/index.ts'],
  ['the-oracle-of-the-bench-shares-no-code', 'bench/agents/questions/a.ts', 'services/query/src/index.ts'],
  ['packages-feed-index', 'packages/feed-index/src/b.ts', 'packages/listing/src/index.ts', 'type'],
  ['packages-listing', 'packages/listing/src/a.ts', 'packages/runtime/src/log.ts'],
  ['packages-listing-events', 'packages/listing-events/src/a.ts', 'packages/feed-index/src/index.ts'],
  ['packages-runtime', `${R}/c.ts`, 'bench/main.ts'],
  ['packages-kafka', `${K}/b.ts`, 'packages/listing-events/src/index.ts', 'type'],
  ['packages-projection', `${P}/b.ts`, 'packages/fixtures/src/index.ts'],
  ['packages-projection', `${P}/generations/b.ts`, `${O}/cli/program.ts`],
  ['packages-engines', 'packages/engines/src/a.ts', 'packages/runtime/src/log.ts'],
  ['packages-fixtures', 'packages/fixtures/src/a.ts', 'packages/runtime/src/log.ts'],
  ['packages-web', 'packages/web/a.mjs', 'packages/runtime/src/log.ts'],
  ['services-ingest', 'services/ingest/src/b.ts', 'services/projector/src/index.ts'],
  ['services-projector', 'services/projector/src/b.ts', 'packages/listing-events/src/index.ts'],
  ['services-projector', 'services/projector/src/a.ts', 'packages/engines/src/index.ts'],
  ['services-query', `${Q}/c.ts`, 'services/projector/src/service.ts'],
  ['services-query', `${Q}/request/c.ts`, 'packages/listing/src/index.ts'],
  ['services-query', `${Q}/a.ts`, 'packages/listing-events/src/index.ts'],
  ['services-operator', `${O}/cli/a.ts`, 'packages/fixtures/src/index.ts'],
  ['demo', 'demo/src/a.ts', `${O}/index.ts`],
  ['bench', 'bench/parts/a.ts', `${Q}/service.ts`],
  ['bench', 'bench/parts/b.ts', 'test/support/deployment.ts'],
  ['scripts', 'scripts/a.ts', `${Q}/service.ts`],
  ['infra', 'infra/a.ts', 'demo/src/b.ts'],
  ['test-support', 'test/support/a.ts', 'test/e2e/b.ts'],
  ['test-soak', 'test/soak/a.ts', 'test/faults/b.ts'],
  ['test-soak/plan', 'test/soak/plan/a.ts', 'test/soak/checks/b.ts'],
  ['test-e2e', 'test/e2e/a.ts', 'test/faults/b.ts'],
  ['test-faults', 'test/faults/a.ts', 'bench/b.ts'],
  ['test-alone', 'test/alone/a.ts', 'bench/b.ts'],
  ['test-contract', 'test/contract/a.ts', 'test/e2e/b.ts'],
  ['test-browser', 'test/browser/a.ts', 'test/e2e/b.ts'],
  ['test-cluster', 'test/cluster/a.ts', 'test/e2e/b.ts'],
  ['test-containers', 'test/containers/a.ts', 'test/e2e/b.ts'],
  ['packages-kafka-format', `${K}/format/b.ts`, `${K}/kafka-consumer.ts`, 'type'],
  ['packages-projection-root', `${P}/projection.ts`, `${P}/generations/registry.ts`],
  ['packages-projection-topics', `${P}/topics/a.ts`, `${P}/generations/registry.ts`],
  ['packages-projection-generations', `${P}/generations/a.ts`, `${P}/topics/topics.ts`],
  ['packages-projection-chunks', `${P}/chunks/a.ts`, `${P}/projection.ts`],
  ['packages-projection-store', `${P}/store/b.ts`, `${P}/projection.ts`, 'type'],
  ['packages-projection-dead-letters', `${P}/dead-letters/a.ts`, `${P}/chunks/decoded-records.ts`],
  ['packages-projection-progress', `${P}/progress/a.ts`, `${P}/store/state-store.ts`],
  ['packages-runtime-root', `${R}/b.ts`, `${R}/service/index.ts`],
  ['packages-runtime-tracing', `${R}/tracing/a.ts`, `${R}/service/index.ts`],
  ['packages-runtime-elasticsearch', `${R}/elasticsearch/a.ts`, `${R}/tracing/index.ts`],
  ['packages-runtime-processes', `${R}/processes/a.ts`, `${R}/log.ts`],
  ['packages-web-browser-components', `${W}/components/a.ts`, `${W}/explorer/texts.ts`],
  ['packages-web-browser-explorer', `${W}/explorer/a.ts`, `${W}/docs/request.ts`],
  ['packages-web-browser-console', `${W}/console/a.ts`, `${W}/explorer/texts.ts`],
  ['packages-web-browser-docs', `${W}/docs/b.ts`, `${W}/console/api.ts`],
  ['services-operator-root', `${O}/command-context.ts`, `${O}/cli/connect.ts`, 'type'],
  ['services-operator-console', `${O}/console/a.ts`, `${O}/cli/program.ts`, 'type'],
  ['services-operator-text', `${O}/text/a.ts`, `${O}/cli/program.ts`],
  ['services-operator-machine', `${O}/machine/a.ts`, `${O}/cli/program.ts`],
  ['services-operator-listings', `${O}/listings/a.ts`, `${O}/cli/program.ts`, 'type'],
  ['services-operator-check', `${O}/check/a.ts`, `${O}/explain/explanation.ts`, 'type'],
  ['services-operator-explain', `${O}/explain/a.ts`, `${O}/replay/build.ts`],
  ['services-operator-reconcile', `${O}/reconcile/a.ts`, `${O}/replay/build.ts`],
  ['services-operator-repair', `${O}/repair/a.ts`, `${O}/replay/build.ts`],
  ['services-operator-replay', `${O}/replay/a.ts`, `${O}/explain/explanation.ts`],
  ['services-operator-verify', `${O}/verify/a.ts`, `${O}/explain/explanation.ts`, 'type'],
  ['services-operator-dead-letters', `${O}/dead-letters/a.ts`, `${O}/verify/self-check.ts`],
  ['services-operator-records', `${O}/records/a.ts`, `${O}/dead-letters/list-dead-letters.ts`],
  ['services-operator-status', `${O}/status/a.ts`, `${O}/replay/build.ts`],
  ['services-operator-history', `${O}/history/a.ts`, `${O}/replay/build.ts`],
  ['services-operator-topics', `${O}/topics/a.ts`, `${O}/status/gather-status.ts`],
  ['services-operator-followers', `${O}/followers/b.ts`, `${O}/status/gather-status.ts`],
  ['services-query-workers', `${Q}/workers/a.ts`, `${Q}/searches.ts`],
  ['services-query-http', `${Q}/http/a.ts`, `${Q}/service.ts`],
  ['services-query-web', `${Q}/web/a.ts`, `${Q}/http/app.ts`],
  ['services-query-discovery', `${Q}/discovery/a.ts`, `${Q}/http/app.ts`],
  ['services-query-ucp', `${Q}/ucp/a.ts`, `${Q}/http/app.ts`],
  ['services-query-mcp', `${Q}/mcp/a.ts`, `${Q}/ucp/catalog.ts`],
  ['services-query-agents', `${Q}/agents/a.ts`, `${Q}/mcp/mcp-server.ts`],
  ['services-query-docs', `${Q}/docs/a.ts`, `${Q}/http/app.ts`],
  ['services-query-telemetry', `${Q}/telemetry/a.ts`, `${Q}/http/app.ts`],
  ['services-query-cache', `${Q}/cache/a.ts`, `${Q}/http/app.ts`],
  ['services-query-budget', `${Q}/budget/a.ts`, `${Q}/cache/page-cache.ts`],
  ['services-query-search', `${Q}/search/a.ts`, `${Q}/cache/page-cache.ts`],
  ['services-query-response', `${Q}/response/a.ts`, `${Q}/cache/page-cache.ts`, 'type'],
  ['services-query-stored', `${Q}/stored/a.ts`, `${Q}/response/etag.ts`],
  ['services-query-request', `${Q}/request/a.ts`, `${Q}/search/feed-query.ts`],
  ['services-query-headers', `${Q}/headers/a.ts`, `${Q}/contract/problem.ts`],
  ['services-query-contract', `${Q}/contract/a.ts`, `${Q}/request/criteria.ts`, 'type'],
  ['services-query-filters', `${Q}/filters/a.ts`, `${Q}/contract/problem.ts`],
  ['runtime-knows-no-domain', `${R}/b.test.ts`, 'packages/feed-index/src/index.ts'],
  ['engines-parts', `${E}/jvm/a.ts`, `${E}/engines.ts`, 'type'],
  ['pure-code', 'packages/feed-index/src/a.ts', '@elastic/elasticsearch'],
  ['pure-code', 'packages/listing/src/b.ts', 'node:fs'],
  ['pure-code', `${K}/format/a.ts`, 'kafkajs'],
  ['pure-code', `${O}/text/b.ts`, '@elastic/elasticsearch'],
  ['pure-code', `${O}/machine/switch-steps.ts`, '@elastic/elasticsearch'],
  ['pure-code', `${Q}/search/order/b.ts`, '@elastic/elasticsearch'],
  ['kafkajs-in-one-package', 'test/e2e/kafka.ts', 'kafkajs'],
  ['kafkajs-in-one-package', 'demo/src/kafka.ts', 'kafkajs', 'type'],
  ['query-loads-no-kafka', `${Q}/d.ts`, 'packages/kafka/src/good.ts'],
  ['query-searches-in-one-file', `${Q}/search/b.ts`, '@elastic/elasticsearch'],
  ['followers-are-clients', `${O}/followers/a.ts`, '@elastic/elasticsearch'],
  ['pages-load-only-preact', `${W}/docs/a.ts`, 'node:fs'],
  ['pages-load-only-preact', `${W}/console/b.ts`, 'koa'],
  ['pages-import-types', `${W}/console/d.ts`, `${O}/status/status.ts`],
  ['pages-are-data-for-services', `${Q}/web/b.ts`, `${W}/explorer/texts.ts`],
];

/** Imports in the permitted direction. No rule may reject these imports. */
const ACCEPTED: [file: string, target: string, form?: 'type'][] = [
  [`${Q}/http/good.ts`, `${Q}/cache/page-cache.ts`],
  [`${Q}/request/good.ts`, `${Q}/contract/operations.ts`],
  [`${Q}/response/good.ts`, `${Q}/stored/stored-item.ts`],
  [`${Q}/search/good.ts`, `${Q}/search/deep/rank-index.ts`],
  [`${Q}/search/order/good.ts`, '@elastic/elasticsearch', 'type'],
  [`${Q}/search/search-client.ts`, '@elastic/elasticsearch'],
  [`${Q}/contract/good.ts`, 'typebox'],
  ['packages/kafka/src/good.ts', 'kafkajs'],
  [`${Q}/request/good-text.ts`, 'packages/listing/src/text.ts'],
  ['packages/feed-index/src/good.ts', '@elastic/elasticsearch', 'type'],
  [`${P}/generations/good.ts`, `${P}/projection.ts`],
  [`${P}/chunks/good.ts`, 'packages/kafka/src/index.ts'],
  ['bench/parts/good.ts', 'test/support/service-process.ts'],
  ['bench/parts/good-load.ts', 'test/support/http-load.ts'],
  ['test/support/oracle/good.test.ts', 'packages/listing/src/index.ts'],
  [`${O}/cli/good.ts`, `${O}/replay/build.ts`],
  [`${O}/text/good.ts`, `${O}/status/status.ts`, 'type'],
];

/** No rule names this path, so only a rule that lists a folder's permitted imports can reject it. */
const UNLISTED = 'unlisted/file.ts';

/** Every folder of the repository that contains code. */
const SOURCE_FOLDERS = [...new Set(sourceFiles().map((path) => posix.dirname(path)))].sort();

/** Two files that import each other's types. */
const CYCLE: [file: string, target: string][] = [
  [`${Q}/cache/cycle.ts`, `${Q}/cache/other.ts`],
  [`${Q}/cache/other.ts`, `${Q}/cache/cycle.ts`],
];

/** Rules about whole files. The check of the repository itself covers these rules. */
const NOT_ABOUT_ONE_IMPORT = new Set(['no-cycles', 'no-orphans', 'no-unlisted-package']);

function sourceFiles(): string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...FOLDERS];
  const paths = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return paths.filter((path) => /\.([cm]?[jt]s|tsx)$/.test(path));
}

const isPath = (target: string): boolean => target.endsWith('.ts');

function specifier(file: string, target: string): string {
  if (!isPath(target)) return target;
  const path = posix.relative(posix.dirname(file), target);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Cruises a temporary tree that contains only the given imports. @returns `rule: file` of each violation */
function violations(
  imports: readonly (readonly [file: string, target: string, form?: 'type' | undefined])[],
): string[] {
  const tree = mkdtempSync(join(tmpdir(), 'vitrine-imports-'));
  const write = (file: string, text: string) => {
    mkdirSync(join(tree, dirname(file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  try {
    const importing = new Map(imports.map(([file, target, form]) => [file, [target, form] as const]));
    for (const [, target] of imports) {
      if (isPath(target) && !importing.has(target))
        write(target, 'export const value = 1;\nexport type Shape = 1;\n');
      if (isPath(target) || target.startsWith('node:')) continue;
      write(`node_modules/${target}/package.json`, JSON.stringify({ name: target, main: 'index.js' }));
      write(`node_modules/${target}/index.js`, 'exports.value = 1;\n');
    }
    const registryPackages = imports.flatMap(([, target]) =>
      isPath(target) || target.startsWith('node:') ? [] : [[target, '*']],
    );
    write('package.json', JSON.stringify({ dependencies: Object.fromEntries(registryPackages) }));
    for (const [file, [target, form]] of importing) {
      const names = form === 'type' ? 'type { Shape as Imported }' : '{ value as imported }';
      write(
        file,
        `import ${names} from '${specifier(file, target)}';\n` +
          'export const value = 1;\nexport type Shape = 1;\n',
      );
    }
    write(
      'tsconfig.json',
      '{ "compilerOptions": { "module": "NodeNext", "allowImportingTsExtensions": true, "noEmit": true } }',
    );
    const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const options = ['--config', relative(tree, CONFIGURATION), '--output-type', 'json'];
    const output = execFileSync(process.execPath, [program, ...options, ...FOLDERS], {
      cwd: tree,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const { summary } = JSON.parse(output) as ICruiseResult;
    return summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
  } finally {
    rmSync(tree, { recursive: true });
  }
}

describe('direction of imports', () => {
  let found: string[];
  let rules: string[];

  before(async function () {
    this.timeout(60_000);
    const planted = REJECTED.map(([, file, target, form]) => [file, target, form] as const);
    const cycle = CYCLE.map(([file, target]) => [file, target, 'type'] as const);
    const unlisted = SOURCE_FOLDERS.map((folder) => [`${folder}/unlisted.ts`, UNLISTED] as const);
    found = violations([...planted, ...ACCEPTED, ...cycle, ...unlisted]);
    const { default: configuration } = (await import(CONFIGURATION)) as {
      default: { forbidden: { name: string }[] };
    };
    rules = configuration.forbidden.map(({ name }) => name);
  });

  for (const [rule, file, target, form] of REJECTED)
    it(`${rule} rejects ${form === 'type' ? 'a type import' : 'an import'} of ${target} in ${file}`, () =>
      expect(found).to.include(`${rule}: ${file}`));

  for (const [file, target] of ACCEPTED)
    it(`${target} may be imported in ${file}`, () =>
      expect(found.filter((violation) => violation.endsWith(`: ${file}`))).to.be.empty);

  it('rejects a cycle of type imports', () => {
    // dependency-cruiser reports a cycle only once, at one of its files.
    expect(CYCLE.filter(([file]) => found.includes(`no-cycles: ${file}`))).to.have.length(1);
  });

  for (const folder of SOURCE_FOLDERS)
    it(`${folder} has a rule that lists its permitted imports`, () =>
      expect(found.filter((violation) => violation.endsWith(`: ${folder}/unlisted.ts`))).not.to.be.empty);

  it('is tested with a wrong import for every rule', () => {
    const shown = new Set(REJECTED.map(([rule]) => rule));
    expect(rules.filter((rule) => !shown.has(rule) && !NOT_ABOUT_ONE_IMPORT.has(rule))).to.be.empty;
  });
});
