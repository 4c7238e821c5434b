import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import { checkIndices, versionsWith } from '../generations/generation-indices.ts';
import { GenerationError, generation } from '../generations/generation-record.ts';
import { readRegistry } from '../generations/registry.ts';
import { readRoles } from '../generations/roles.ts';
import type { Operation } from '../operation.ts';
import { Projection } from '../projection.ts';
import { countStates, rangesOf, scanShard } from '../replay/state-scan.ts';
import type { CompareProgress } from './compare-generations.ts';
import { type Judged, judge, readListings } from './held-listing.ts';
import { scanItems } from './item-scan.ts';

/** An item that was not what the generation's states make of it. */
interface Disagreement {
  id: string;
  kind: 'missing' | 'content' | 'hidden' | 'without-state';
  repaired: boolean;
}

export interface SelfCheck {
  generation: number;
  states: number;
  items: number;
  disagreements: Disagreement[];
}

export interface SelfCheckOptions {
  /** Undefined = the live one. */
  generation: number | undefined;
  repair: boolean;
}

const IDS_A_LOOK = 500;
/** A listing whose event is just being projected agrees a moment later. */
const LOOKS = 4;
const LOOK_EVERY_MS = 700;

/**
 * Compares every item of one generation with what its states make of it, while it goes on being fed, and
 * repairs what a writer that slept too long may have left: a repair is a pass of the store loop, behind
 * a fence, so that it can never undo what an event does at the same time.
 * @throws GenerationError when the generation was built by other rules than this code's; what the client throws
 */
export async function selfCheck(
  operation: Operation,
  { generation: wanted, repair }: SelfCheckOptions,
  onProgress: (progress: CompareProgress) => void,
): Promise<SelfCheck> {
  const { client, settings, rules, signal } = operation;
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live }] = await Promise.all([readRegistry(client, prefix), readRoles(client, prefix)]);
  const number = wanted ?? live;
  if (!registry || number === undefined) throw new GenerationError(`there is no live generation under ${prefix}`);
  const { phase } = generation(registry, number);
  if (phase !== 'ready') throw new GenerationError(`generation ${number} is not ready: it is ${phase}`);
  const names = generationNames(prefix, number);
  await checkIndices(client, names, versionsWith(rules));
  if (generation(registry, number).versions.rules !== rules.version)
    throw new GenerationError(
      `generation ${number} was built by rules ${generation(registry, number).versions.rules}, this code has ${rules.version}`,
    );

  const projection = new Projection({ client, generation: names, rules });
  const found: Disagreement[] = [];
  const look = async (ids: string[]): Promise<void> => {
    for (const [id, judged] of await disagreeing(operation, number, ids)) {
      const kind = kindOf(judged);
      found.push({ id, kind, repaired: repair && (await repaired(operation, projection, number, id, kind)) });
    }
  };

  const ranges = await rangesOf(client, names.states, {});
  const states = await countStates(client, names.states, ranges);
  const { count: items } = await client.count({ index: names.items });
  let done = 0;
  for (const range of ranges)
    for await (const page of scanShard(client, names.states, range, signal)) {
      for (let from = 0; from < page.states.length; from += IDS_A_LOOK) await look(page.states.slice(from, from + IDS_A_LOOK).map(({ id }) => id));
      done += page.states.length;
      onProgress({ done, total: states + items });
    }
  const seen = new Set(found.map(({ id }) => id));
  for await (const page of scanItems(client, names.items, signal)) {
    const ids = page.map(({ id }) => id).filter((id) => !seen.has(id));
    for (let from = 0; from < ids.length; from += IDS_A_LOOK) await look(await withoutState(operation, number, ids.slice(from, from + IDS_A_LOOK)));
    done += page.length;
    onProgress({ done, total: states + items });
  }
  return { generation: number, states, items, disagreements: found };
}

async function disagreeing({ client, settings, rules, signal }: Operation, number: number, ids: readonly string[]): Promise<Map<string, Judged>> {
  let left: readonly string[] = ids;
  let judged = new Map<string, Judged>();
  for (let turn = 0; turn < LOOKS && left.length > 0; turn++) {
    if (turn > 0) await sleep(LOOK_EVERY_MS, undefined, { signal });
    const held = await readListings(client, settings.INDEX_PREFIX, number, left);
    judged = new Map([...held].map(([id, listing]): [string, Judged] => [id, judge(id, listing, rules)]).filter(([, { agrees }]) => !agrees));
    left = [...judged.keys()];
  }
  return judged;
}

function kindOf({ state, item, hidden }: Judged): Disagreement['kind'] {
  if (!state) return 'without-state';
  if (!item) return 'missing';
  return hidden ? 'hidden' : 'content';
}

async function withoutState({ client, settings }: Operation, number: number, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { docs } = await client.mget({ index: generationNames(settings.INDEX_PREFIX, number).states, ids, _source: false });
  return docs.flatMap((doc) => ('error' in doc || doc.found ? [] : [doc._id]));
}

/** By so many passes a state's revision is raised at most, to reach an item that was written by hand under a higher one. */
const MOST_PASSES = 100;

/** Brings one item in line; true when it then is. */
async function repaired(operation: Operation, projection: Projection, number: number, id: string, kind: Disagreement['kind']): Promise<boolean> {
  const { client, settings } = operation;
  const held = (await readListings(client, settings.INDEX_PREFIX, number, [id])).get(id) ?? {};
  if (kind === 'without-state') {
    // No projector ever wrote it: it goes at its own revision.
    const at = { version: held.itemRevision ?? 1, version_type: 'external_gte' as const };
    await client.delete({ index: generationNames(settings.INDEX_PREFIX, number).items, id, ...at }, { ignore: [404, 409] });
    return true;
  }
  const passes = Math.max((held.itemRevision ?? 0) - (held.revision ?? 0), 1);
  for (let pass = 0; pass < Math.min(passes, MOST_PASSES); pass++) await projection.apply(new Map([[id, []]]));
  return (await disagreeing(operation, number, [id])).size === 0;
}
