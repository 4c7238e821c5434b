import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@vitrine/fixtures';
import { applyChanges } from '../database/changes.ts';
import { type SimpleDatabase, startSimpleDatabase } from '../database/simple-database.ts';
import { createDeployment } from '../deployment.ts';
import { compareFeed, type Disagreement } from '../equality/compare-feed.ts';
import { simpleDatabaseItems } from '../equality/simple-database-items.ts';
import { startFeed } from '../feed-clients.ts';
import { eventually, startService } from '../service-process.ts';
import { type Part, processPart, type StartWay, type Way } from './way.ts';

export interface ChaosRun {
  /** The seed on which the changes, the victims and the moments depend. */
  seed: number;
  /** Number of listings. */
  listings: number;
  /** Number of kills. Each part is killed before a part is killed again. */
  kills: number;
}

export interface ChaosResult {
  /** The victims in the order of their kills, and the moment of the load. */
  story: string[];
  /** Number of committed transactions. */
  committed: number;
  /** Number of items that the feed must contain. */
  items: number;
  disagreements: Disagreement[];
}

/** The bounds of random pauses. The pauses determine what a kill hits, but no result depends on them. */
const BETWEEN_KILLS_MS = [100, 2_500] as const;
const DOWN_MS = [0, 2_000] as const;
/** The parts whose kill makes a load begin again. */
const LOADERS = new Set(['PostgreSQL', 'Connect']);
/** Longer than 180 s (`STALL_LIMITS`), so that a stalled consumer can exit, start again and catch up. */
const CAUGHT_UP_WITHIN_MS = 300_000;
const LOADED_WITHIN_MS = 240_000;

/**
 * Kills the programs of a way, the projector and the database while random transactions change listings, loads
 * every listing once in between, and compares the feed with the database at the end.
 * @returns the reason, if PostgreSQL is not available
 */
export async function runChaos(
  name: string,
  startWay: StartWay,
  { seed, listings, kills }: ChaosRun,
): Promise<ChaosResult | string> {
  const database = await startSimpleDatabase({ seed, count: listings });
  if (typeof database === 'string') return database;
  const started: { stop(): Promise<void> }[] = [database];
  try {
    const deployment = await createDeployment(name);
    started.push({ stop: deployment.close });
    const way = await startWay(database, deployment);
    started.push(way);
    const projector = processPart('projector', () => startService('projector', deployment.env));
    started.push(projector);
    const changes = applyChanges(database, { seed, count: listings });
    const parts = [postgresOf(database), projector, ...way.parts];
    const { story, isInterrupted } = await killAtRandom(parts, way, new Random(seed), kills);
    await changes.stop();
    await way.caughtUp(CAUGHT_UP_WITHIN_MS);
    await deployment.caughtUp(CAUGHT_UP_WITHIN_MS);
    if (isInterrupted && way.repair) {
      story.push('repair');
      await way.repair();
      await deployment.caughtUp(CAUGHT_UP_WITHIN_MS);
    }
    const feed = await startFeed(deployment);
    started.push(feed);
    const items = await simpleDatabaseItems(database.pool);
    const served = await way.served?.(database.pool);
    const disagreements = await compareFeed(database.pool, feed.base, simpleDatabaseItems, served);
    return { story, committed: changes.committed(), items: items.size, disagreements };
  } finally {
    for (const { stop } of started.reverse()) await stop();
  }
}

const postgresOf = ({ kill, start }: SimpleDatabase): Part => ({ name: 'PostgreSQL', kill, start });

/** @returns what was done, in order, and whether a kill may have interrupted the load */
async function killAtRandom(
  parts: readonly Part[],
  way: Way,
  random: Random,
  kills: number,
): Promise<{ story: string[]; isInterrupted: boolean }> {
  const story: string[] = [];
  let isLoading = false;
  let isInterrupted = false;
  const loadAt = random.integer(1, kills - 1);
  const returns = new Map<Part, Promise<void>>();
  let load: Promise<void> | undefined;
  let waiting: Part[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(random.integer(...BETWEEN_KILLS_MS));
    if (kill === loadAt) {
      story.push('load');
      isLoading = true;
      load = untilLoaded(way).finally(() => {
        isLoading = false;
      });
      load.catch(() => undefined);
    }
    if (waiting.length === 0) waiting = [...parts];
    const [victim] = waiting.splice(random.integer(0, waiting.length - 1), 1) as [Part];
    await returns.get(victim);
    story.push(victim.name);
    isInterrupted ||= isLoading && LOADERS.has(victim.name);
    await victim.kill();
    // The next kill may hit while this part is still down.
    const back = sleep(random.integer(...DOWN_MS)).then(victim.start);
    back.catch(() => undefined);
    returns.set(victim, back);
  }
  await Promise.all(returns.values());
  await load;
  return { story, isInterrupted };
}

/** Repeats a load until no kill has ended it. */
async function untilLoaded(way: Way): Promise<void> {
  let last: unknown;
  await eventually(
    'every listing is loaded',
    () =>
      way.load().then(
        () => true,
        (error: unknown) => {
          last = error;
          return false;
        },
      ),
    LOADED_WITHIN_MS,
  ).catch((error: Error) => {
    throw new Error(error.message, { cause: last });
  });
}
