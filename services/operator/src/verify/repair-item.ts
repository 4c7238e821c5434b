import type { Projection } from '@vitrine/projection';
import type { CommandContext } from '../command-context.ts';
import { type CheckedGeneration, type CheckedListing, checkListing, readListings } from './stored-listing.ts';

export interface Repair {
  /** Whether the item now equals the item that the rules derive from the state. */
  repaired: boolean;
  /** The reason why the index cannot contain such an item. */
  failure?: string;
}

/**
 * The maximum number of revisions that a repair adds to a state. The revision must exceed the version of the
 * item, which may be higher if an operator wrote the item by hand.
 */
const MAX_PASSES = 100;

/**
 * Repairs one item in a generation with passes of the store loop, which write the state conditionally and
 * then the item. If an item has no state, the repair first writes an empty state, which the index accepts
 * only if there is still no state. Therefore a repair never undoes a concurrent event.
 * @throws ElasticsearchUnavailableError; ElasticsearchClientError
 */
export async function repairItem(
  context: CommandContext,
  projection: Projection,
  generation: CheckedGeneration,
  id: string,
): Promise<Repair> {
  const { failure, itemRevision = 0, revision = 0 } = await readChecked(context, generation, id);
  if (failure !== undefined) return { repaired: false, failure };
  for (let passes = Math.min(Math.max(itemRevision - revision, 1), MAX_PASSES); passes > 0; passes--) {
    const { rejected } = await projection.apply(new Map([[id, []]]));
    const refusal = rejected.get(id);
    if (refusal !== undefined) return { repaired: false, failure: refusal };
  }
  return { repaired: (await readChecked(context, generation, id)).agrees };
}

async function readChecked(
  { client, settings }: CommandContext,
  { number, rules }: CheckedGeneration,
  id: string,
): Promise<CheckedListing> {
  return checkListing(
    id,
    (await readListings(client, settings.INDEX_PREFIX, number, [id])).get(id) ?? {},
    rules,
  );
}
