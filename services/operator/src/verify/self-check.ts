import { setTimeout as sleep } from 'node:timers/promises';
import { describeMismatch, findGeneration, GenerationError, generationNames } from '@vitrine/feed-index';
import { Projection } from '@vitrine/projection';
import { listingDeadLetter } from '@vitrine/projection/dead-letters';
import {
  checkIndices,
  documentRules,
  isWritable,
  LiveMarks,
  readRegistry,
  readRoles,
  versionsWith,
} from '@vitrine/projection/generations';
import { countStates, multiGet, scanShard, shardsOf } from '@vitrine/projection/store';
import { type CommandContext, sendAndLogDeadLetters } from '../command-context.ts';
import { rememberWritten } from '../dead-letters/written-dead-letters.ts';
import type { CompareProgress } from './compare-generations.ts';
import { scanItems } from './item-scan.ts';
import { repairItem } from './repair-item.ts';
import { type CheckedGeneration, type CheckedListing, checkListing, readListings } from './stored-listing.ts';

/** An item that differs from the item that its state yields. */
interface Disagreement {
  id: string;
  /** `failed` means that the rules fail for the state, so that it yields no item. */
  kind: 'missing' | 'content' | 'hidden' | 'without-state' | 'failed';
  /** The reason why the state yields no item that the index accepts. */
  failure?: string;
  repaired: boolean;
}

export interface SelfCheck {
  generation: number;
  states: number;
  items: number;
  disagreements: Disagreement[];
}

export interface SelfCheckOptions {
  /** The number of the generation. Undefined stands for the live generation. */
  generation: number | undefined;
  repair: boolean;
}

const IDS_PER_READ = 500;
/**
 * The maximum number of times that an item is compared, because a projector may be writing the item during
 * the first comparison.
 */
const MAX_CHECKS = 4;
const CHECK_EVERY_MS = 700;

/**
 * Compares every item of a generation with its state while projectors continue to write. Repairs differences
 * that a stale writer may have left. A listing whose state yields no item becomes a dead letter.
 * @throws GenerationError if this code does not write generations with the checked generation's versions;
 * DeadLetterTopicError; KafkaError; ElasticsearchClientError
 */
export async function selfCheck(
  context: CommandContext,
  { generation: wanted, repair }: SelfCheckOptions,
  onProgress: (progress: CompareProgress) => void,
): Promise<SelfCheck> {
  const { client, settings, rules, signal } = context;
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live }] = await Promise.all([readRegistry(client, prefix), readRoles(client, prefix)]);
  const number = wanted ?? live;
  if (!registry || number === undefined)
    throw new GenerationError(`the prefix ${prefix} has no live generation`);
  const record = findGeneration(registry, number);
  const { phase, versions, index_ids } = record;
  if (phase !== 'ready')
    throw new GenerationError(`generation ${number} is not ready; its phase is ${phase}`);
  const names = generationNames(prefix, number);
  if (!isWritable(versions, rules)) throw new GenerationError(describeMismatch(record, versionsWith(rules)));
  const { notes } = await checkIndices(client, names, versions, index_ids);
  for (const note of notes) context.log.warn(note);

  const generation: CheckedGeneration = { number, rules: documentRules(versions, rules) };
  const liveMarks = new LiveMarks(client, prefix, number);
  const projection = new Projection({
    client,
    generation: names,
    rules: generation.rules,
    changesMapping: versions.changes,
    liveMark: () => liveMarks.current(),
  });
  const found: Disagreement[] = [];
  const failed = new Map<string, string>();
  const checkPage = async (ids: string[]): Promise<void> => {
    for (const [id, checked] of await disagreeing(context, generation, ids)) {
      const outcome = repair ? await repairItem(context, projection, generation, id) : { repaired: false };
      if (outcome.failure !== undefined && checked.state) failed.set(id, outcome.failure);
      found.push({ id, kind: kindOf(checked), ...outcome });
    }
  };

  const shards = await shardsOf(client, names.states);
  const states = await countStates(client, names.states);
  const { count: items } = await client.count({ index: names.items });
  let done = 0;
  for (const { shard } of shards)
    for await (const page of scanShard(client, names.states, { shard, after: -1 }, signal)) {
      for (let from = 0; from < page.states.length; from += IDS_PER_READ)
        await checkPage(page.states.slice(from, from + IDS_PER_READ).map(({ id }) => id));
      done += page.states.length;
      onProgress({ done, total: states + items });
    }
  const seen = new Set(found.map(({ id }) => id));
  for await (const page of scanItems(client, names.items, signal)) {
    const ids = page.map(({ id }) => id).filter((id) => !seen.has(id));
    for (let from = 0; from < ids.length; from += IDS_PER_READ)
      await checkPage(await withoutState(context, number, ids.slice(from, from + IDS_PER_READ)));
    done += page.length;
    onProgress({ done, total: states + items });
  }
  await sendFailed(context, number, failed);
  return { generation: number, states, items, disagreements: found };
}

/** Writes a dead letter for each listing that failed, unless a dead letter with the same state exists. */
async function sendFailed(
  context: CommandContext,
  number: number,
  failed: ReadonlyMap<string, string>,
): Promise<void> {
  if (failed.size === 0) return;
  const { client, settings } = context;
  await rememberWritten(context);
  const index = generationNames(settings.INDEX_PREFIX, number).states;
  const ids = [...failed.keys()];
  for (let from = 0; from < ids.length; from += IDS_PER_READ) {
    const stored = await readListings(
      client,
      settings.INDEX_PREFIX,
      number,
      ids.slice(from, from + IDS_PER_READ),
    );
    await sendAndLogDeadLetters(
      context,
      [...stored].flatMap(([id, { state, revision = 0 }]) =>
        state ? [listingDeadLetter({ index, id, revision, state }, failed.get(id) ?? '')] : [],
      ),
    );
  }
}

async function disagreeing(
  { client, settings, signal }: CommandContext,
  { number, rules }: CheckedGeneration,
  ids: readonly string[],
): Promise<Map<string, CheckedListing>> {
  let left: readonly string[] = ids;
  let checked = new Map<string, CheckedListing>();
  for (let turn = 0; turn < MAX_CHECKS && left.length > 0; turn++) {
    if (turn > 0) await sleep(CHECK_EVERY_MS, undefined, { signal });
    const stored = await readListings(client, settings.INDEX_PREFIX, number, left);
    checked = new Map(
      [...stored]
        .map(([id, listing]): [string, CheckedListing] => [id, checkListing(id, listing, rules)])
        .filter(([, { agrees }]) => !agrees),
    );
    left = [...checked.keys()];
  }
  return checked;
}

function kindOf({ state, item, hidden, failure }: CheckedListing): Disagreement['kind'] {
  if (failure !== undefined) return 'failed';
  if (!state) return 'without-state';
  if (!item) return 'missing';
  return hidden ? 'hidden' : 'content';
}

async function withoutState(
  { client, settings }: CommandContext,
  number: number,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const index = generationNames(settings.INDEX_PREFIX, number).states;
  const docs = await multiGet(client, { index, ids, _source: false });
  return docs.flatMap((doc) => ('error' in doc || doc.found ? [] : [doc._id]));
}
