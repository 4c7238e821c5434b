import { setTimeout as sleep } from 'node:timers/promises';
import { type Certificate, changed, GenerationError, generation, generationNames, newestBeside } from '@vitrine/feed-index';
import { readRegistry, readRoles, updateRegistry } from '@vitrine/projection';
import type { Operation } from '../command-context.ts';
import { type Difference, differenceOf } from './difference.ts';
import { scanItems } from './item-scan.ts';
import { mergeItems } from './merge-items.ts';
import { compareHiding } from './state-comparison.ts';
import { judge, readListings } from './stored-listing.ts';

/** Result of a comparison. */
export interface Comparison {
  live: number;
  generation: number;
  liveItems: number;
  items: number;
  /** Items that differed in the scans and were equal when they were read again, because they were just changing. */
  settled: number;
  certificate: Certificate;
  /** The differences, at most 10,000; the certificate holds their number. */
  differences: Difference[];
}

export interface CompareProgress {
  done: number;
  total: number;
}

/** How often a difference is read again: an event may have reached one generation first. */
const LOOKS = 12;
const EXPLAINED_AFTER = 2;
const LOOK_EVERY_MS = 1_000;
const IDS_A_LOOK = 500;
const MAX_LISTED = 10_000;

/**
 * Compares a generation with the live one, item by item, and the facts that decide on later events. Both go on changing,
 * so each difference is read again for about twelve seconds. The registry keeps the result for a switch.
 * @param number undefined = the newest that is ready and not live
 * @throws GenerationError when there is nothing to compare; what the client throws
 */
export async function compareGenerations(
  operation: Operation,
  number: number | undefined,
  onProgress: (progress: CompareProgress) => void,
): Promise<Comparison> {
  const { client, settings, signal, rules } = operation;
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live }] = await Promise.all([readRegistry(client, prefix), readRoles(client, prefix)]);
  if (!registry || live === undefined) throw new GenerationError(`there is no live generation under ${prefix}`);
  const other = number ?? newestBeside(registry, live);
  const { phase } = generation(registry, other);
  if (other === live) throw new GenerationError(`generation ${other} is the live one: verify --self looks at it alone`);
  if (phase !== 'ready') throw new GenerationError(`generation ${other} is not ready: it is ${phase}`);

  const [liveIndex, index] = [generationNames(prefix, live).items, generationNames(prefix, other).items];
  const [{ count: liveItems }, { count: liveStates }] = await Promise.all([
    client.count({ index: liveIndex }),
    client.count({ index: generationNames(prefix, live).states }),
  ]);
  const unequal = new Set<string>();
  const scan = (name: string) => scanItems(client, name, signal);
  // The format of a state belongs to its mapping version: states of two formats cannot be compared.
  const comparesStates = generation(registry, live).versions.states === generation(registry, other).versions.states;
  const total = liveItems + (comparesStates ? liveStates : 0);
  const merged = await mergeItems(
    scan(liveIndex),
    scan(index),
    (id) => unequal.add(id),
    ({ first }) => onProgress({ done: first, total }),
  );

  const doubtful = new Set(unequal);
  let done = liveItems;
  if (comparesStates)
    await compareHiding(client, generationNames(prefix, live), generationNames(prefix, other), {
      signal,
      onListing: (id) => doubtful.add(id),
      onProgress: (states) => {
        done += states;
        onProgress({ done, total });
      },
    });

  let differing = [...doubtful];
  let differences: Difference[] = [];
  for (let look = 0; look < LOOKS && differing.length > 0; look++) {
    if (look > 0) await sleep(LOOK_EVERY_MS, undefined, { signal });
    const again: Difference[] = [];
    for (let from = 0; from < differing.length; from += IDS_A_LOOK) {
      const ids = differing.slice(from, from + IDS_A_LOOK);
      const [held, fresh] = await Promise.all([readListings(client, prefix, live, ids), readListings(client, prefix, other, ids)]);
      for (const id of ids) {
        const difference = differenceOf(id, judge(id, held.get(id) ?? {}, rules), judge(id, fresh.get(id) ?? {}, rules), comparesStates);
        if (difference) again.push(difference);
      }
      signal.throwIfAborted();
    }
    differences = again;
    differing = again.map(({ id }) => id);
    // An explained difference remains. A listing that is just changing looks like one for a moment.
    if (look >= EXPLAINED_AFTER && again.every(({ explained }) => explained)) break;
  }

  const differingStill = new Set(differing);
  const explained = differences.filter((difference) => difference.explained).length;
  const certificate: Certificate = {
    against: live,
    at: new Date().toISOString(),
    compared: merged.equal + unequal.size,
    explained,
    unexplained: differences.length - explained,
  };
  await updateRegistry(client, prefix, (now) => changed(now, other, { certificate }));
  return {
    live,
    generation: other,
    liveItems: merged.first,
    items: merged.second,
    settled: [...unequal].filter((id) => !differingStill.has(id)).length,
    certificate,
    differences: differences.slice(0, MAX_LISTED),
  };
}
