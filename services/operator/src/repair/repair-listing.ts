import { findGeneration, type GenerationRecord, generationNames } from '@vitrine/feed-index';
import { readOffsets } from '@vitrine/kafka';
import { EVENT_HEADERS } from '@vitrine/listing-events';
import { groupOf, readRoles } from '@vitrine/projection/generations';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { readRecords } from '../records/read-records.ts';
import { readListings, type StoredListing } from '../verify/stored-listing.ts';
import { type Repair, RepairError, repairEvents } from './repair-events.ts';

/**
 * Publishes the current content of a listing with the next epoch and version 1, if `confirm` agrees to the
 * preview. A source whose version was too high can then change the listing again, with this epoch.
 * @param id a listing of the live generation
 * @returns the repair, and whether its events were published
 * @throws RepairError if the listing is unknown, has no next epoch, or changed meanwhile; GenerationError
 * without a live generation; KafkaError; ElasticsearchClientError
 */
export async function repairListing(
  context: CommandContext,
  id: string,
  confirm: (repair: Repair) => Promise<boolean>,
): Promise<{ repair: Repair; published: boolean }> {
  const { producer, settings, signal } = context;
  const before = await readListing(context, id);
  const repair = repairEvents(id, before.state, new Date());
  if (!(await confirm(repair))) return { repair, published: false };
  signal.throwIfAborted();
  // The operator may have answered after a long time. Older content would win over events that arrived
  // meanwhile. The next epoch also wins over events that are waiting in the topic, so their changes would be
  // lost.
  if (await hasPendingEvent(context, before.generation, id))
    throw new RepairError(
      `the topic has an event for listing ${id} that the projector has not folded yet. Run the command again later`,
    );
  const { revision } = await readListing(context, id);
  if (revision !== before.revision)
    throw new RepairError(`listing ${id} has received an event since the preview. Run the command again`);
  const messages = repair.events.map((value) => ({ key: id, value, headers: EVENT_HEADERS }));
  await producer.send({ topic: settings.LISTING_EVENTS_TOPIC, messages });
  return { repair, published: true };
}

async function readListing(
  context: CommandContext,
  id: string,
): Promise<Required<Pick<StoredListing, 'state' | 'revision'>> & { generation: GenerationRecord }> {
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
  return { state, revision, generation: findGeneration(registry, live) };
}

/**
 * Whether the topic has a record for the listing that the generation has not folded yet.
 * @throws the signal's reason after an interruption; MissingTopicError; KafkaError
 */
async function hasPendingEvent(
  context: CommandContext,
  { number, offsets: starts = {} }: Pick<GenerationRecord, 'number' | 'offsets'>,
  id: string,
): Promise<boolean> {
  const { admin, settings } = context;
  const topic = settings.LISTING_EVENTS_TOPIC;
  const offsets = await readOffsets(admin, groupOf(settings.CONSUMER_GROUP, number), topic);
  const range = offsets
    .map(({ partition, low, committed, stable }) => {
      const next = committed ?? BigInt(starts[partition] ?? low);
      return { partition, from: next > low ? next : low, to: stable };
    })
    .filter(({ from, to }) => from < to);
  if (range.length === 0) return false;
  let found = false;
  await readRecords(context, topic, range, ({ key }) => {
    found ||= key !== null && key.toString() === id;
  });
  return found;
}
