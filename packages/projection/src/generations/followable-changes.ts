import type { Client } from '@elastic/elasticsearch';
import {
  type ChangesHistory,
  changeNumber,
  changesPattern,
  generationNames,
  type LiveChanges,
  liveChain,
  planChanges,
} from '@vitrine/feed-index';
import { readChangesHistory, readLiveChanges } from './changes-history.ts';

/** The changes of a deployment that followers can read. */
export interface FollowableChanges {
  live: LiveChanges;
  /**
   * Followers that were up to date at this time (epoch milliseconds) or later can continue. Other followers
   * receive 410.
   */
  since: number;
}

/**
 * Reads how far back followers can continue. Returns undefined if the live generation has no changes index.
 * @throws ElasticsearchClientError
 */
export async function readFollowableChanges(
  client: Client,
  prefix: string,
  signal?: AbortSignal,
): Promise<FollowableChanges | undefined> {
  const live = await readLiveChanges(client, prefix, signal);
  if (!live) return undefined;
  const [history, settings] = await Promise.all([
    readChangesHistory(client, prefix, signal),
    client.indices.getSettings(
      { index: changesPattern(prefix), name: 'index.creation_date' },
      signal && { signal },
    ),
  ]);
  const createdAt = (generation: number): number | undefined => {
    const { index } = settings[generationNames(prefix, generation).changes]?.settings ?? {};
    return index?.creation_date === undefined ? undefined : Number(index.creation_date);
  };
  const since = followableSince(live, history, createdAt);
  return since === undefined ? undefined : { live, since };
}

/**
 * Finds the start of the earliest epoch whose followers can still read everything up to the live epoch. Pure.
 * @param createdAt returns the time at which a generation's changes index was created (epoch milliseconds),
 * or undefined if the index does not exist
 */
export function followableSince(
  live: LiveChanges,
  history: ChangesHistory,
  createdAt: (generation: number) => number | undefined,
): number | undefined {
  let since: number | undefined;
  for (const { epoch, generation, at } of liveChain(live, history).reverse()) {
    const plan = planChanges(live, history, changeNumber(epoch, 0));
    if (plan.kind === 'expired' || plan.segments.some((one) => createdAt(one.generation) === undefined))
      break;
    since = at === undefined ? createdAt(generation) : Date.parse(at);
  }
  return since;
}
