import { findGeneration, generationNames } from '@vitrine/feed-index';
import { type KafkaProducer, sendInHalves } from '@vitrine/kafka';
import { highestVersion, type ListingState } from '@vitrine/listing';
import { EVENT_HEADERS, epochOf, numberOf } from '@vitrine/listing-events';
import { readRoles } from '@vitrine/projection/generations';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { readPendingKeys } from '../records/pending-records.ts';
import { readListings, type StoredListing } from '../verify/stored-listing.ts';
import { type Repair, RepairError, repairEvents, VERSION } from './repair-events.ts';

/**
 * Publishes the current content of a listing with the next epoch and version 1, if `confirm` agrees to the
 * preview. A source whose version was too high can then change the listing again, with this epoch.
 * @param id a listing of the live generation
 * @returns the repair, and whether its events were published
 * @throws RepairError if the listing is unknown, is already repaired or has no next epoch, or if it or the live
 * generation changed meanwhile; GenerationError without a live generation; KafkaError;
 * ElasticsearchClientError
 */
export async function repairListing(
  context: CommandContext,
  id: string,
  confirm: (repair: Repair) => Promise<boolean>,
): Promise<{ repair: Repair; published: boolean }> {
  const { producer, settings, signal } = context;
  const before = await readListing(context, id);
  assertNotRepaired(id, before.state);
  const repair = repairEvents(id, before.state, new Date());
  if (!(await confirm(repair))) return { repair, published: false };
  signal.throwIfAborted();
  // The operator may have answered after a long time. Older content would win over events that arrived
  // meanwhile. The next epoch also wins over events that are waiting in the topic, so their changes would be
  // lost.
  if (await hasPendingEvent(context, before.generation, id))
    throw new RepairError(
      `the topic has an event for listing ${id} that the projector has not folded yet. Run the command ` +
        'again later. If `status` shows an open transaction, wait until it has ended',
    );
  const { revision, generation } = await readListing(context, id);
  // A rebuild from states copies the revisions, so an equal revision does not rule out a switch.
  if (generation !== before.generation)
    throw new RepairError(
      `generation ${generation} has become live since the preview. Run the command again`,
    );
  if (revision !== before.revision)
    throw new RepairError(`listing ${id} has received an event since the preview. Run the command again`);
  await publishRepair(producer, settings.LISTING_EVENTS_TOPIC, repair);
  return { repair, published: true };
}

/**
 * Publishes a repair's events in their order. Sends several requests if the topic refuses one because of its
 * size.
 * @throws KafkaError
 */
export const publishRepair = (
  producer: Pick<KafkaProducer, 'send'>,
  topic: string,
  { id, events }: Pick<Repair, 'id' | 'events'>,
): Promise<void> =>
  sendInHalves(
    events.map((value) => ({ key: id, value, headers: EVENT_HEADERS })),
    (messages) => producer.send({ topic, messages }),
  );

/**
 * A repeated repair would raise the epoch again. The listing would then ignore a source that continues with
 * the epoch of the first repair.
 * @throws RepairError if the listing is already repaired
 */
function assertNotRepaired(id: string, state: ListingState): void {
  const previous = highestVersion(state) ?? 0;
  const epoch = epochOf(previous);
  if (epoch === 0 || numberOf(previous) !== VERSION) return;
  throw new RepairError(
    `listing ${id} already has version ${VERSION} of epoch ${epoch}. Its source can continue with ` +
      `version_epoch ${epoch} and version ${VERSION + 1}. If the first repair failed, the source must also send ` +
      'the calendar',
  );
}

async function readListing(
  context: CommandContext,
  id: string,
): Promise<Required<Pick<StoredListing, 'state' | 'revision'>> & { generation: number }> {
  const { client, settings } = context;
  const prefix = settings.INDEX_PREFIX;
  const registry = await readExistingRegistry(context);
  const { live } = await readRoles(client, prefix);
  if (live === undefined) throw new RepairError(`the prefix ${prefix} has no live generation`);
  const { state, revision } = (await readListings(client, prefix, live, [id])).get(id) ?? {};
  if (!state || revision === undefined)
    throw new RepairError(
      `the index ${generationNames(prefix, live).states} has no listing ${JSON.stringify(id)}, so there is no ` +
        'content to publish',
    );
  return { state, revision, generation: findGeneration(registry, live).number };
}

/**
 * Whether the topic has a record for the listing that the generation has not folded yet.
 * @throws the same errors as `readPendingKeys`
 */
async function hasPendingEvent(context: CommandContext, generation: number, id: string): Promise<boolean> {
  let found = false;
  await readPendingKeys(context, generation, (key) => {
    found ||= key === id;
  });
  return found;
}
