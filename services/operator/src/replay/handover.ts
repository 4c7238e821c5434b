import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChangesPair,
  findGeneration,
  type GenerationRecord,
  generationNames,
  isItemMapping,
  type Offsets,
  type Registry,
  type Transition,
} from '@vitrine/feed-index';
import { readOffsets } from '@vitrine/kafka';
import { groupOf, inspectIndices } from '@vitrine/projection/generations';
import { liftEntries, readCheckpoint, snapshotPages, touchEntries } from '@vitrine/projection/store';
import type { CommandContext } from '../command-context.ts';
import { comparedGeneration } from '../verify/compared-generation.ts';
import { differingSince } from '../verify/differing-since.ts';
import { recordsBehind } from './consumer-group.ts';
import { lastEntry } from './last-entry.ts';

/** A transition whose followers continue at a mark. */
export type Handover = Transition & Required<Pick<Transition, 'after' | 'handover'>>;

const POLL_EVERY_MS = 100;
/** A projector notices a new live epoch within this time, in milliseconds. */
const NOTICED_WITHIN_MS = 3_000;
const COMMITTED_WITHIN_MS = 60_000;

/**
 * Takes the marks at which followers of one generation continue in another one, and touches the entries of
 * the items that differ (docs/guide/changes.md, "Marks").
 * @param base the checkpoints since which the items may differ; without it, all listings are compared
 * @returns undefined if the items cannot be compared, so that followers have to start over
 * @throws GenerationError; ElasticsearchUnavailableError; ElasticsearchClientError; KafkaError
 */
export async function takeMarks(
  context: CommandContext,
  registry: Registry,
  from: number,
  to: number,
  base: ChangesPair = { from: -1, to: -1 },
): Promise<ChangesPair | undefined> {
  const { client, settings, signal, rules } = context;
  const prefix = settings.INDEX_PREFIX;
  const [before, after] = [findGeneration(registry, from), findGeneration(registry, to)];
  const namesOf = (number: number) => generationNames(prefix, number);
  const checkpointOf = async (number: number) =>
    (await readCheckpoint(client, namesOf(number).changes)).checkpoint;
  const differing = (above: ChangesPair): Promise<Set<string>> =>
    differingSince(
      client,
      prefix,
      [
        { number: from, compared: comparedGeneration(before, after, rules), above: above.from },
        { number: to, compared: comparedGeneration(after, before, rules), above: above.to },
      ],
      signal,
    );

  if (!(await areComparable(context, before, after))) {
    context.log.warn(
      { from, to },
      `generations ${from} and ${to} cannot be compared, so followers of the changes have to start over`,
    );
    return undefined;
  }
  // The first comparison may take minutes. The second one then covers only the changes since the first one,
  // so that the overlap after the marks is short.
  const reached = { from: await checkpointOf(from), to: await checkpointOf(to) };
  const touched = await differing(base);

  const marks = await marksOf(context, before, after);
  for (const id of await differing(reached)) touched.add(id);
  await touchEntries(client, namesOf(to), [...touched]);
  return marks;
}

/**
 * Lifts the entries that moved behind the mark of a transition. Until the projectors notice the move of the
 * aliases, they write entries behind the mark of the previous generation, and do not lift the entries of the
 * live generation. A listing that only the previous generation showed after the mark has no entry in the live
 * generation. It receives an entry, because followers may have received the listing.
 * @throws ElasticsearchUnavailableError; AbortError
 */
export async function liftEntriesBehind(
  { client, settings, signal }: CommandContext,
  { transition: { after, handover, generation } }: { transition: Handover },
): Promise<void> {
  const prefix = settings.INDEX_PREFIX;
  const index = generationNames(prefix, after.generation).changes;
  // Followers of a deleted index start over.
  if (!(await client.indices.exists({ index }))) return;
  await sleep(NOTICED_WITHIN_MS, undefined, { signal });
  const request = {
    index,
    sort: [{ _seq_no: 'asc' as const }],
    query: { range: { _seq_no: { gt: handover.from } } },
    source: ['state'],
  };
  for await (const hits of snapshotPages(client, request, signal))
    await liftEntries(
      client,
      generationNames(prefix, generation),
      hits.map(({ _id }) => _id as string),
      handover.to,
    );
}

/**
 * Whether this release can read the items of both generations, and no index is lost. A changes index that was
 * restored from a snapshot lacks entries that followers may have received.
 */
async function areComparable(
  { client, settings }: CommandContext,
  ...records: readonly GenerationRecord[]
): Promise<boolean> {
  if (!records.every(({ versions }) => isItemMapping(versions.items))) return false;
  for (const { number, versions, index_ids: recorded = {} } of records) {
    const names = generationNames(settings.INDEX_PREFIX, number);
    const { ids } = await inspectIndices(client, names, versions, recorded);
    const isWhole = ids.items !== undefined && ids.changes !== undefined;
    if (!isWhole || (recorded.changes ?? ids.changes) !== ids.changes) return false;
  }
  return true;
}

/** Takes the marks in the order that leaves no gap. */
async function marksOf(
  context: CommandContext,
  before: GenerationRecord,
  after: GenerationRecord,
): Promise<ChangesPair> {
  const { client, settings, log } = context;
  const [from, to] = [before, after].map(
    ({ number }) => generationNames(settings.INDEX_PREFIX, number).changes,
  );
  // An event after the ends of the topic reaches the new generation only after this checkpoint.
  const { checkpoint } = await readCheckpoint(client, to as string);
  const ends = await endsOf(context, before.number);
  if (await isCommitted(context, before.number, ends, COMMITTED_WITHIN_MS))
    return { from: await lastEntry(context, from as string), to: checkpoint };
  const { caught_up: earlier } = after;
  const isAfter =
    earlier !== undefined &&
    [after.topic_id, undefined].includes(before.topic_id) &&
    (await isCommitted(context, before.number, earlier.ends, 0));
  log.warn(
    { generation: before.number, checkpoint: isAfter ? earlier.checkpoint : -1 },
    `generation ${before.number} has not read the whole topic, so followers of its changes receive ` +
      `${isAfter ? `all changes since generation ${after.number} was built` : 'all items'} again`,
  );
  return { from: await lastEntry(context, from as string), to: isAfter ? earlier.checkpoint : -1 };
}

/** The ends of the topic's readable records. No consumer has read the records in open transactions. */
export async function endsOf({ admin, settings }: CommandContext, generation: number): Promise<Offsets> {
  const offsets = await readOffsets(
    admin,
    groupOf(settings.CONSUMER_GROUP, generation),
    settings.LISTING_EVENTS_TOPIC,
  );
  return Object.fromEntries(offsets.map(({ partition, stable }) => [String(partition), String(stable)]));
}

/**
 * Whether the group of a generation commits these offsets in time. Does not wait for a group without members.
 */
async function isCommitted(
  { admin, settings, signal }: CommandContext,
  generation: number,
  ends: Offsets,
  withinMs: number,
): Promise<boolean> {
  const groupId = groupOf(settings.CONSUMER_GROUP, generation);
  const upTo = new Map(Object.entries(ends).map(([partition, end]) => [Number(partition), BigInt(end)]));
  for (const deadline = Date.now() + withinMs; ; ) {
    const offsets = await readOffsets(admin, groupId, settings.LISTING_EVENTS_TOPIC);
    // A partition that was added later has no events before these ends.
    if (
      recordsBehind(
        offsets.filter(({ partition }) => upTo.has(partition)),
        upTo,
      ) === 0
    )
      return true;
    if (Date.now() >= deadline) return false;
    const { members } = await admin.describeGroup(groupId);
    if (members.length === 0) return false;
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
}
