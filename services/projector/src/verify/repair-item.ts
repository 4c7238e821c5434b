import type { Operation } from '../operation.ts';
import type { Projection } from '../projection.ts';
import { type Judged, judge, readListings } from './held-listing.ts';

/** What a repair achieved. */
export interface Repair {
  /** Whether the item is now the one that the rules derive from the state. */
  repaired: boolean;
  /** Why there cannot be such an item. */
  failure?: string;
}

/** A repair raises the revision of a state at most this often, to reach an item that was written by hand at a higher one. */
const MAX_PASSES = 100;

/**
 * Brings one item of a generation in line with its state by passes of the store loop: a fenced state write, then the
 * item. An item without a state gets an empty state first, which the index takes only if there is still none. So a
 * repair never undoes the effect of a concurrent event.
 * @throws SystemTrouble; what the client throws
 */
export async function repairItem(operation: Operation, projection: Projection, number: number, id: string): Promise<Repair> {
  const { failure, itemRevision = 0, revision = 0 } = await readJudged(operation, number, id);
  if (failure !== undefined) return { repaired: false, failure };
  for (let passes = Math.min(Math.max(itemRevision - revision, 1), MAX_PASSES); passes > 0; passes--) {
    const { refused } = await projection.apply(new Map([[id, []]]));
    const refusal = refused.get(id);
    if (refusal !== undefined) return { repaired: false, failure: refusal };
  }
  return { repaired: (await readJudged(operation, number, id)).agrees };
}

async function readJudged({ client, settings, rules }: Operation, number: number, id: string): Promise<Judged> {
  return judge(id, (await readListings(client, settings.INDEX_PREFIX, number, [id])).get(id) ?? {}, rules);
}
