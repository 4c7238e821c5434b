import { readFileSync } from 'node:fs';
import { type Engines, type EnginesOptions, NoEnginesError, startEngines } from '@vitrine/engines';
import { ENGINES, pinnedVersions } from '@vitrine/engines/testing';
import type { BalancedFeed } from './feed-clients.ts';

const PINNED = pinnedVersions(readFileSync(ENGINES.pom, 'utf8'));

/** The oldest and the newest version that `npm run test:matrix` runs on. */
export const oldestAndNewest = (engine: 'kafka' | 'elasticsearch'): [from: string, to: string] => [
  PINNED[engine].at(-1) as string,
  PINNED[engine][0] as string,
];

/**
 * Starts engines for a rolling change of versions.
 * @returns undefined after it has printed the reason, if the long form of the tests (VITRINE_FULL=1) is off
 * or Java is missing
 */
export async function startRollingEngines(
  versions: Record<string, string>,
  options: EnginesOptions,
): Promise<Engines | undefined> {
  const tell = (message: string) => process.stderr.write(`# ${message}\n`);
  if (process.env.VITRINE_FULL !== '1') {
    tell('skipped: set VITRINE_FULL=1, or run `npm run test:matrix` (up to ten minutes)');
    return undefined;
  }
  const env = {
    ...process.env,
    KAFKA_BROKERS: '',
    ELASTICSEARCH_URL: '',
    VITRINE_ENGINES: 'java',
    ...versions,
  };
  return startEngines({ ...options, env, onProgress: tell }).catch((error: unknown) => {
    if (!(error instanceof NoEnginesError)) throw error;
    tell(`skipped: ${error.message}`);
    return undefined;
  });
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/**
 * Measures the steps of a rolling change as the readers experience them. `note` describes one step on one
 * line, and `summary` describes all steps.
 */
export class RollingReport {
  readonly #feed: BalancedFeed;
  readonly #total = { pages: 0, refused: 0, longestWait: 0 };
  #since = performance.now();

  constructor(feed: BalancedFeed) {
    this.#feed = feed;
    feed.note();
  }

  /** Ends a step, which began at the last call. */
  note(what: string, after: string): void {
    const { pages, refused, refusedUntil, longestWait } = this.#feed.note();
    this.#total.pages += pages;
    this.#total.refused += refused;
    this.#total.longestWait = Math.max(this.#total.longestWait, longestWait);
    const until = refused > 0 ? ` (the last one after ${seconds(refusedUntil)})` : '';
    const lasted = performance.now() - this.#since;
    this.#since = performance.now();
    process.stderr.write(
      `# measured: ${what} in ${seconds(lasted)} ${after}; ${pages} pages, ${refused} responses ` +
        `503${until}, longest wait ${seconds(longestWait)}\n`,
    );
  }

  /** Prints the totals. @returns the totals of all steps */
  summary(events: number): Readonly<{ pages: number; refused: number; longestWait: number }> {
    const { pages, refused, longestWait } = this.#total;
    process.stderr.write(
      `# measured: ${events} events, ${pages} pages, ${refused} responses 503, no other failure, longest ` +
        `wait ${seconds(longestWait)}\n`,
    );
    return this.#total;
  }
}
