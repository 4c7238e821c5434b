import { globSync } from 'node:fs';

/**
 * The folder of a test file decides how it runs. Unit tests need no engines. Files in test/e2e, test/contract,
 * test/browser and test/faults share the engines of the run and run at the same time. Files in test/alone stop,
 * freeze or fill the engines, or compare times: they run one after the other while nothing else runs.
 */
const UNIT =
  '{packages/*/src,services/*/src,demo/src,scripts,infra,bench,test/support,test/soak}/**/*.test.ts';
const E2E = 'test/{browser,contract,e2e}/**/*.test.ts';
const FAULTS = 'test/faults/**/*.test.ts';
const ALONE = 'test/alone/**/*.test.ts';
/** These files start Java, or need no engines. */
const WITHOUT_DOCKER = 'bench|engines-on-odd-machines|images|postgres-peer|several-nodes';

export interface Selection {
  checks?: true;
  /** Patterns for files that need no engines. */
  unit?: string[];
  /** Patterns for files that share engines. */
  shared?: string[];
  /** Patterns for files that have engines of their own. */
  alone?: string[];
}

export const SELECTIONS: Record<string, Selection> = {
  quick: { checks: true, unit: [UNIT], shared: [E2E] },
  rest: { shared: [FAULTS], alone: [ALONE] },
  all: { checks: true, unit: [UNIT], shared: [E2E, FAULTS], alone: [ALONE] },
  unit: { unit: [UNIT] },
  e2e: { shared: [E2E] },
  faults: { shared: [FAULTS], alone: [ALONE] },
  // The run of `npm run test:containers`.
  containers: {
    shared: [`test/e2e/!(${WITHOUT_DOCKER}).test.ts`],
    alone: ['test/containers/*.test.ts'],
  },
  cluster: { alone: ['test/cluster/*.test.ts'] },
  // The rows of `npm run test:matrix`.
  engines: {
    shared: ['test/e2e/*.test.ts', 'test/faults/kills.test.ts'],
    alone: ['test/alone/{elasticsearch,kafka}-trouble.test.ts'],
  },
  node: { unit: [UNIT], shared: ['test/e2e/*.test.ts'] },
  'rolling-elasticsearch': { alone: ['test/alone/rolling-elasticsearch.test.ts'] },
  'rolling-kafka': { alone: ['test/alone/rolling-kafka.test.ts'] },
};

/** The test files that match a pattern. */
export const filesOf = (patterns: readonly string[] = []): string[] =>
  globSync([...patterns], { exclude: (path) => path.includes('node_modules') }).sort();
