import { globSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/**
 * Unit tests need no engines. End-to-end tests share the engines of a run. Fault tests kill, stop and
 * overload services and engines. Container tests need Docker, and run only with `npm run test:containers`.
 */
export type Suite = 'unit' | 'e2e' | 'faults' | 'containers';

const FILES: Record<Suite, string[]> = {
  unit: [
    '{packages,services,demo}/**/src/**/*.test.ts',
    '{scripts,infra,test/support,test/soak,bench}/**/*.test.ts',
  ],
  e2e: ['test/{e2e,contract,browser}/**/*.test.ts'],
  faults: ['test/faults/**/*.test.ts'],
  containers: ['test/containers/**/*.test.ts'],
};

/** The options of mocha for a suite. Times are in milliseconds. */
const ENGINES = ['--require', './test/support/engines.ts', '--exit'];
export const MOCHA: Record<Suite, string[]> = {
  unit: ['--timeout', '10000'],
  e2e: [...ENGINES, '--timeout', '120000', '--slow', '30000'],
  faults: [...ENGINES, '--timeout', '600000', '--slow', '120000'],
  containers: ['--exit', '--timeout', '900000', '--slow', '120000'],
};

/** Fault tests that `npm test` runs too, because each is short and guards a guarantee (decision 0046). */
const CORE = ['dead-letters', 'resurrection', 'shutdown', 'stall'];

/**
 * Files whose tests stop, freeze or fill the engines of the run, or compare times. These files run one after
 * the other, after all other files.
 */
const ALONE = [
  'any-history',
  'cluster-settings',
  'compression',
  'elasticsearch-trouble',
  'follower',
  'kafka-trouble',
  'large-rebuild',
  'memory',
  'query-crowd',
  'query-disconnects',
  'query-large-pages',
  'query-outage-under-load',
  'query-processes',
  'query-slow-clients',
  'query-slow-exports',
  'rebalance',
  'replay-live',
  'resurrection',
  'rolling-elasticsearch',
  'rolling-kafka',
  'scale-out',
  'soak',
  'stall',
  'tiny-records',
  'upgrade-items-mapping',
];

/** Files that start their own engines. Because of their memory, only one of these files runs at a time. */
const OWN_ENGINES = [
  'content-length',
  'docker-engines',
  'endings',
  'engines',
  'kubernetes-commands',
  'security',
  'write-queue',
];

/** The longest files. They start first, because otherwise the run would wait for them at its end. */
const FIRST = [
  'calendar-counts',
  'replay',
  'security',
  'query-paging-changes',
  'engines',
  'query-searches',
  'query-paging',
  'start',
  'rentals',
];

/** Which files may run at the same time: all files, all files with other engines, or no other file. */
export type Lane = 'shared' | 'own engines' | 'alone';

export interface TestFile {
  path: string;
  suite: Suite;
  lane: Lane;
  core: boolean;
}

const named = (names: readonly string[], path: string) =>
  names.includes(/([^/]+)\.test\.ts$/.exec(path)?.[1] ?? '');

/** The test files of a suite, the longest first. */
export function filesOf(suite: Suite): TestFile[] {
  const rank = (path: string) => FIRST.findIndex((name) => named([name], path)) >>> 0;
  return globSync(FILES[suite], { exclude: (path) => path.includes('node_modules') })
    .sort((a, b) => (suite === 'unit' ? 0 : rank(a) - rank(b)) || (a < b ? -1 : 1))
    .map((path) => ({
      path,
      suite,
      lane: laneOf(suite, path),
      core: suite !== 'faults' || named(CORE, path),
    }));
}

/** The test files with these names, such as `e2e/replay`. @throws if a file does not exist */
export function filesNamed(names: readonly string[]): TestFile[] {
  const files = [...filesOf('e2e'), ...filesOf('faults')];
  const missing = names.filter((name) => !files.some(({ path }) => path === `test/${name}.test.ts`));
  if (missing.length > 0) throw new Error(`These test files do not exist: ${missing.join(', ')}`);
  return files.filter(({ path }) => names.some((name) => path === `test/${name}.test.ts`));
}

function laneOf(suite: Suite, path: string): Lane {
  if (suite === 'faults' && named(ALONE, path)) return 'alone';
  return suite !== 'unit' && named(OWN_ENGINES, path) ? 'own engines' : 'shared';
}

/** Names in the lists above that match no test file. The names must change when a file is renamed. */
export function unknownNames(): string[] {
  const paths = (['e2e', 'faults'] as const).flatMap((suite) => filesOf(suite).map(({ path }) => path));
  return [...CORE, ...ALONE, ...OWN_ENGINES, ...FIRST].filter(
    (name) => !paths.some((path) => named([name], path)),
  );
}

/**
 * Number of concurrent test processes. A test process mostly waits, but needs up to 3 GB with its services.
 */
export function processesAtATime(): number {
  const asked = Number(process.env.VITRINE_TEST_PROCESSES);
  if (asked >= 1) return asked;
  return Math.max(1, Math.min(4, availableParallelism() + 1, Math.floor(totalmem() / 3e9)));
}
