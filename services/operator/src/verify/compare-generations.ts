import { setTimeout as sleep } from 'node:timers/promises';
import {
  findGeneration,
  GenerationError,
  type GenerationRecord,
  generationNames,
  newestReadyBeside,
  type VerificationResult,
  withChanges,
} from '@vitrine/feed-index';
import { readRegistry, readRoles, updateRegistry } from '@vitrine/projection/generations';
import { readCheckpoint, touchEntries } from '@vitrine/projection/store';
import type { CommandContext } from '../command-context.ts';
import { assertSameModule } from '../rules-module.ts';
import { type ComparedGeneration, comparedGeneration } from './compared-generation.ts';
import { type Difference, differenceOf } from './difference.ts';
import { scanItems } from './item-scan.ts';
import { mergeItems } from './merge-items.ts';
import { compareHiding } from './state-comparison.ts';
import { readListings } from './stored-listing.ts';

export interface Comparison {
  live: number;
  generation: number;
  liveItems: number;
  items: number;
  /**
   * The number of items that differed in the scans, because they were being updated, but were equal when they
   * were read again.
   */
  settled: number;
  verification: VerificationResult;
  /** At most 10,000 differences. The verification result contains their total number. */
  differences: Difference[];
}

export interface CompareProgress {
  done: number;
  total: number;
}

/**
 * The maximum number of times that a difference is read again, because an event may reach one generation
 * before the other.
 */
const MAX_CHECKS = 12;
const EXPLAINED_AFTER = 2;
const CHECK_EVERY_MS = 1_000;
const IDS_PER_READ = 500;
const MAX_LISTED = 10_000;
/** An item can take hundreds of kilobytes. */
const MAX_WITH_VALUES = 100;

/**
 * Compares a generation with the live generation: all items, and the facts that affect the result of later
 * events. Both generations continue to change, so the function reads each difference again for about twelve
 * seconds. The registry stores the result for a switch.
 * @param number undefined for the newest ready generation that is not live
 * @throws GenerationError if there are not two generations to compare
 */
export async function compareGenerations(
  context: CommandContext,
  number: number | undefined,
  onProgress: (progress: CompareProgress) => void,
): Promise<Comparison> {
  const { client, settings, signal, rules } = context;
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live, lostStates }] = await Promise.all([
    readRegistry(client, prefix),
    readRoles(client, prefix),
  ]);
  if (!registry || live === undefined)
    throw new GenerationError(`the prefix ${prefix} has no live generation`);
  const other = number ?? newestReadyBeside(registry, live);
  const [liveRecord, otherRecord] = [findGeneration(registry, live), findGeneration(registry, other)];
  const { phase } = otherRecord;
  if (other === live)
    throw new GenerationError(
      `generation ${other} is live. Run verify --self to compare it with its own states`,
    );
  if (phase !== 'ready') throw new GenerationError(`generation ${other} is not ready; its phase is ${phase}`);
  if (lostStates)
    throw new GenerationError(
      `the states of generation ${live} are lost, so nothing can be compared with it. Run switch ${other}, ` +
        'which needs no verification in this case',
    );
  assertSameModule(otherRecord, rules);
  const liveSide = comparedGeneration(liveRecord, otherRecord, rules);
  const otherSide = comparedGeneration(otherRecord, liveRecord, rules);

  // Followers receive later changes from both generations, and the switch compares these listings again.
  const checkpointOf = async ({ number, versions }: GenerationRecord): Promise<number | undefined> => {
    const index = generationNames(prefix, number).changes;
    // Without its changes index, a generation can still be replaced. Its followers then have to start over.
    const hasChanges = versions.changes !== undefined && (await client.indices.exists({ index }));
    return hasChanges ? (await readCheckpoint(client, index)).checkpoint : undefined;
  };
  const [liveChanges, ownChanges] = await Promise.all([checkpointOf(liveRecord), checkpointOf(otherRecord)]);

  const [liveIndex, index] = [generationNames(prefix, live).items, generationNames(prefix, other).items];
  const [{ count: liveItems }, { count: liveStates }] = await Promise.all([
    client.count({ index: liveIndex }),
    client.count({ index: generationNames(prefix, live).states }),
  ]);
  const unequal = new Set<string>();
  const scan = (name: string, { comparable }: ComparedGeneration) =>
    scanItems(client, name, signal, comparable);
  // The mapping version determines the format of a state. States of different formats cannot be compared.
  const comparesStates = liveRecord.versions.states === otherRecord.versions.states;
  const total = liveItems + (comparesStates ? liveStates : 0);
  const merged = await mergeItems(
    scan(liveIndex, liveSide),
    scan(index, otherSide),
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

  const versions = { live: liveRecord.versions, fresh: otherRecord.versions };
  /** The revisions of both states at the last comparison. */
  const revisions = new Map<string, string>();
  let differing = [...doubtful];
  let differences: Difference[] = [];
  for (let check = 0; check < MAX_CHECKS && differing.length > 0; check++) {
    if (check > 0) await sleep(CHECK_EVERY_MS, undefined, { signal });
    const again: Difference[] = [];
    for (let from = 0; from < differing.length; from += IDS_PER_READ) {
      const ids = differing.slice(from, from + IDS_PER_READ);
      const [stored, fresh] = await Promise.all([
        readListings(client, prefix, live, ids),
        readListings(client, prefix, other, ids),
      ]);
      for (const id of ids) {
        const [left, right] = [stored.get(id), fresh.get(id)];
        const revision = `${left?.revision}:${right?.revision}`;
        const isChanging = (revisions.get(id) ?? revision) !== revision;
        const difference = differenceOf(
          id,
          liveSide.check(id, left),
          otherSide.check(id, right),
          versions,
          isChanging,
        );
        revisions.set(id, revision);
        if (difference) again.push(again.length < MAX_WITH_VALUES ? difference : withoutValues(difference));
      }
      signal.throwIfAborted();
    }
    differences = again;
    differing = again.map(({ id }) => id);
    // An explained difference does not disappear. However, a listing that is being updated can briefly look
    // like an explained difference.
    if (check >= EXPLAINED_AFTER && again.every(({ explained }) => explained)) break;
  }

  // After a switch, followers receive the entries of the differing items.
  if (ownChanges !== undefined)
    await touchEntries(
      client,
      generationNames(prefix, other),
      differences.filter(({ kind }) => kind !== 'facts').map(({ id }) => id),
    );
  const differingStill = new Set(differing);
  const explained = differences.filter((difference) => difference.explained).length;
  const verification: VerificationResult = {
    against: live,
    at: new Date().toISOString(),
    compared: merged.equal + unequal.size,
    explained,
    unexplained: differences.length - explained,
    reasons: countsOf(differences.map(({ reason }) => reason.code)),
    changes: {
      ...(liveChanges !== undefined && { live: liveChanges }),
      ...(ownChanges !== undefined && { own: ownChanges }),
    },
  };
  await updateRegistry(client, prefix, (now) => withChanges(now, other, { verification }));
  return {
    live,
    generation: other,
    liveItems: merged.first,
    items: merged.second,
    settled: [...unequal].filter((id) => !differingStill.has(id)).length,
    verification,
    differences: differences.slice(0, MAX_LISTED),
  };
}

/** Counts how often each string occurs. */
const countsOf = (texts: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(texts, (text) => text)].map(([text, all]): [string, number] => [text, all.length]),
  );

const withoutValues = ({ values: _, ...difference }: Difference): Difference => difference;
