import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';
import { expect } from 'chai';
import type { ICruiseResult } from 'dependency-cruiser';

const ROOT = join(import.meta.dirname, '..');
const CONFIGURATION = join(ROOT, '.dependency-cruiser.cjs');

/**
 * A file with one import, and the rule that rejects the import. A target that is not a path is a package of
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
  ['services-are-separate', `${Q}/c.ts`, 'services/projector/src/service.ts'],
  ['packages-know-no-services', 'packages/runtime/src/a.ts', 'services/query/src/service.ts'],
  ['the-oracle-shares-no-code', 'test/support/oracle/a.ts', 'packages/feed-index/src/index.ts'],
  ['the-oracle-of-the-bench-shares-no-code', 'bench/agents/oracle/a.ts', 'packages/listing/src/index.ts'],
  ['the-oracle-of-the-bench-shares-no-code', 'bench/agents/questions/a.ts', 'services/query/src/index.ts'],
  ['services-know-no-engines', 'services/projector/src/a.ts', 'packages/engines/src/index.ts'],
  ['feed-index-and-listing-are-pure', 'packages/feed-index/src/a.ts', '@elastic/elasticsearch'],
  ['listing', 'packages/listing/src/a.ts', 'packages/runtime/src/log.ts'],
  ['listing', 'packages/listing/src/b.ts', 'node:fs'],
  ['listing-events', 'packages/listing-events/src/a.ts', 'packages/feed-index/src/index.ts'],
  ['listing-events', 'packages/listing-events/src/b.ts', 'kafkajs'],
  ['feed-index', 'packages/feed-index/src/b.ts', 'packages/listing/src/index.ts', 'type'],
  ['feed-index', 'packages/feed-index/src/c.ts', 'node:fs'],
  ['packages-know-no-services', `${R}/c.ts`, 'bench/main.ts'],
  ['packages-know-no-services', `${R}/d.ts`, 'scripts/check.ts'],
  ['packages-know-no-services', `${R}/e.ts`, 'infra/b.ts'],
  ['runtime-knows-no-domain', `${R}/b.test.ts`, 'packages/feed-index/src/index.ts'],
  ['runtime-root', `${R}/b.ts`, 'packages/feed-index/src/index.ts'],
  ['runtime-elasticsearch', `${R}/elasticsearch/a.ts`, 'kafkajs'],
  ['runtime-processes', `${R}/processes/a.ts`, `${R}/log.ts`],
  ['runtime-service', `${R}/service/a.ts`, `${R}/elasticsearch/index.ts`],
  ['runtime-tracing', `${R}/tracing/a.ts`, `${R}/service/index.ts`],
  ['kafka-format', `${K}/format/a.ts`, 'kafkajs'],
  ['kafka-format', `${K}/format/b.ts`, `${K}/kafka-consumer.ts`, 'type'],
  ['kafkajs-in-one-package', 'test/e2e/kafka.ts', 'kafkajs'],
  ['kafkajs-in-one-package', 'demo/src/kafka.ts', 'kafkajs', 'type'],
  ['kafkajs-in-one-package', `${O}/replay/kafka.ts`, 'kafkajs', 'type'],
  ['kafka', `${K}/a.ts`, `${P}/store/state-store.ts`],
  ['kafka', `${K}/b.ts`, 'packages/listing-events/src/index.ts', 'type'],
  ['projection-progress', `${P}/progress/a.ts`, 'prom-client'],
  ['projection-dead-letters', `${P}/dead-letters/a.ts`, `${P}/chunks/decoded-records.ts`],
  ['projection-chunks', `${P}/chunks/a.ts`, `${P}/store/bulk-writer.ts`],
  ['projection-store', `${P}/store/a.ts`, 'kafkajs'],
  ['projection-store', `${P}/store/b.ts`, `${P}/projection.ts`, 'type'],
  ['projection-topics', `${P}/topics/a.ts`, '@elastic/elasticsearch'],
  ['projection-generations', `${P}/generations/a.ts`, `${P}/chunks/decoded-records.ts`],
  ['projection-root', `${P}/projection.ts`, `${P}/generations/registry.ts`],
  ['projection-root', `${P}/b.ts`, 'packages/fixtures/src/index.ts'],
  ['projector', 'services/projector/src/b.ts', 'packages/listing-events/src/index.ts'],
  ['projector', 'services/projector/src/c.ts', 'packages/fixtures/src/index.ts'],
  ['projector', 'services/projector/src/d.ts', 'bench/main.ts'],
  ['projector', 'services/projector/src/e.ts', 'scripts/check.ts'],
  ['projector', 'services/projector/src/f.ts', 'test/support/deployment.ts'],
  ['nothing-imports-the-operator', `${P}/generations/b.ts`, `${O}/cli/program.ts`],
  ['only-listing-text-for-queries', `${Q}/request/c.ts`, 'packages/listing/src/index.ts'],
  ['operator-topics', `${O}/topics/a.ts`, `${O}/status/gather-status.ts`],
  ['operator-status', `${O}/status/a.ts`, `${O}/replay/replay.ts`],
  ['operator-dead-letters', `${O}/dead-letters/a.ts`, `${O}/verify/self-check.ts`],
  ['operator-records', `${O}/records/a.ts`, `${O}/dead-letters/list-dead-letters.ts`],
  ['operator-console', `${O}/console/a.ts`, `${O}/cli/program.ts`, 'type'],
  ['operator-followers', `${O}/followers/a.ts`, '@elastic/elasticsearch'],
  ['operator-replay', `${O}/replay/a.ts`, `${O}/explain/explanation.ts`],
  ['operator-verify', `${O}/verify/a.ts`, `${O}/explain/explanation.ts`, 'type'],
  ['operator-explain', `${O}/explain/a.ts`, `${O}/replay/replay.ts`],
  ['operator-text', `${O}/text/a.ts`, '@elastic/elasticsearch'],
  ['operator-cli', `${O}/cli/a.ts`, 'packages/fixtures/src/index.ts'],
  ['operator-root', `${O}/command-context.ts`, `${O}/cli/connect.ts`, 'type'],
  ['operator-index', `${O}/index.ts`, 'packages/projection/src/index.ts'],
  ['engines', 'packages/engines/src/a.ts', 'packages/runtime/src/log.ts'],
  ['engines-docker', `${E}/docker/a.ts`, `${E}/engines.ts`],
  ['engines-download', `${E}/download/a.ts`, `${E}/index.ts`],
  ['engines-jvm', `${E}/jvm/a.ts`, `${E}/engines.ts`, 'type'],
  ['fixtures', 'packages/fixtures/src/a.ts', 'packages/runtime/src/log.ts'],
  ['demo', 'demo/src/a.ts', `${O}/index.ts`],
  ['bench', 'bench/parts/a.ts', `${Q}/service.ts`],
  ['bench', 'bench/parts/b.ts', 'test/support/deployment.ts'],
  ['scripts', 'scripts/a.ts', `${Q}/service.ts`],
  ['test-support', 'test/support/a.ts', 'test/e2e/b.ts'],
  ['test-soak', 'test/soak/a.ts', 'test/faults/b.ts'],
  ['soak-plan', 'test/soak/plan/a.ts', 'test/soak/checks/b.ts'],
  ['soak-load', 'test/soak/load/a.ts', 'test/soak/system/b.ts'],
  ['test-e2e', 'test/e2e/a.ts', 'test/faults/b.ts'],
  ['test-faults', 'test/faults/a.ts', 'bench/b.ts'],
  ['test-alone', 'test/alone/a.ts', 'bench/b.ts'],
  ['test-contract', 'test/contract/a.ts', 'test/e2e/b.ts'],
  ['test-browser', 'test/browser/a.ts', 'test/e2e/b.ts'],
  ['test-containers', 'test/containers/a.ts', 'test/e2e/b.ts'],
  ['web-build', 'packages/web/a.mjs', 'packages/runtime/src/log.ts'],
  ['web-index', 'packages/web/src/a.ts', `${W}/explorer/texts.ts`],
  ['web-browser', `${W}/a.ts`, `${W}/explorer/texts.ts`],
  ['web-components', `${W}/components/a.ts`, `${W}/explorer/texts.ts`],
  ['web-charts', `${W}/components/charts/a.ts`, `${W}/explorer/texts.ts`],
  ['web-explorer', `${W}/explorer/a.ts`, `${W}/reference/scalar.ts`],
  ['web-console', `${W}/console/a.ts`, `${W}/explorer/texts.ts`],
  ['web-reference', `${W}/reference/a.ts`, 'node:fs'],
  ['web-pages', 'packages/web/src/pages/a.ts', 'packages/runtime/src/log.ts'],
  ['web-for-services', `${Q}/web/b.ts`, `${W}/explorer/texts.ts`],
  ['infra', 'infra/a.ts', 'demo/src/b.ts'],
  ['query-root', `${Q}/service.ts`, `${Q}/stored/stored-item.ts`],
  ['query-root', `${Q}/e.ts`, 'packages/fixtures/src/index.ts'],
  ['query-index', `${Q}/index.ts`, `${Q}/http/app.ts`],
  ['query-knows-no-events', `${Q}/a.ts`, 'packages/listing-events/src/index.ts'],
  ['query-knows-no-events', `${Q}/b.ts`, 'kafkajs'],
  ['query-loads-no-kafka', `${Q}/d.ts`, 'packages/kafka/src/good.ts'],
  ['query-workers', `${Q}/workers/a.ts`, `${Q}/http/app.ts`],
  ['query-http', `${Q}/http/a.ts`, `${Q}/service.ts`],
  ['query-http', `${Q}/http/b.ts`, 'scripts/check.ts'],
  ['query-docs', `${Q}/docs/a.ts`, `${Q}/http/app.ts`],
  ['query-web', `${Q}/web/a.ts`, `${Q}/http/app.ts`],
  ['query-discovery', `${Q}/discovery/a.ts`, `${Q}/http/app.ts`],
  ['query-ucp', `${Q}/ucp/a.ts`, `${Q}/http/app.ts`],
  ['query-mcp', `${Q}/mcp/a.ts`, `${Q}/search/feed-search.ts`],
  ['query-agents', `${Q}/agents/a.ts`, `${Q}/mcp/mcp-server.ts`],
  ['query-telemetry', `${Q}/telemetry/a.ts`, `${Q}/http/app.ts`],
  ['query-budget', `${Q}/budget/a.ts`, `${Q}/http/app.ts`],
  ['query-cache', `${Q}/cache/a.ts`, `${Q}/search/feed-search.ts`],
  ['query-search', `${Q}/search/a.ts`, `${Q}/cache/page-cache.ts`],
  ['query-search-changes', `${Q}/search/changes/a.ts`, `${Q}/request/feed-request.ts`],
  ['query-search-shallow', `${Q}/search/shallow/a.ts`, `${Q}/search/deep/rank-index.ts`],
  ['query-search-deep', `${Q}/search/deep/a.ts`, `${Q}/search/feed-search.ts`, 'type'],
  ['query-search-order', `${Q}/search/order/a.ts`, `${Q}/search/deep/rank-index.ts`],
  ['query-response', `${Q}/response/a.ts`, `${Q}/cache/page-cache.ts`, 'type'],
  ['query-stored', `${Q}/stored/a.ts`, `${Q}/response/etag.ts`],
  ['query-request', `${Q}/request/a.ts`, `${Q}/search/feed-query.ts`],
  ['query-request', `${Q}/request/b.ts`, 'koa'],
  ['query-headers', `${Q}/headers/a.ts`, `${Q}/contract/problem.ts`],
  ['query-contract', `${Q}/contract/a.ts`, `${Q}/request/criteria.ts`, 'type'],
  ['query-contract', `${Q}/contract/b.ts`, 'packages/runtime/src/log.ts'],
  ['query-filters', `${Q}/filters/a.ts`, `${Q}/contract/problem.ts`],
  ['query-pure-folders', `${Q}/stored/b.ts`, 'node:fs'],
  ['query-pure-folders', `${Q}/search/order/b.ts`, '@elastic/elasticsearch'],
  ['query-searches-in-one-file', `${Q}/search/b.ts`, '@elastic/elasticsearch'],
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
  [`${O}/cli/good.ts`, `${O}/replay/replay.ts`],
  [`${O}/text/good.ts`, `${O}/status/status.ts`, 'type'],
];

/** No rule names this path, so only a rule that lists the permitted imports of a folder can reject it. */
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
