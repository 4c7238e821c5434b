import { type Client, errors } from '@elastic/elasticsearch';
import {
  changesPattern,
  type Generation,
  type GenerationRecord,
  generationNames,
  itemsAlias,
  statesAlias,
} from '@vitrine/feed-index';
import { type KafkaAdmin, readOffsets, recordAgesIn } from '@vitrine/kafka';
import { countListings, groupOf, inspectIndices, type Role } from '@vitrine/projection/generations';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import type { CommandContext } from '../command-context.ts';
import type { GenerationStatus, GroupMember, Lag } from './status.ts';
import { topicTrouble } from './topic-trouble.ts';

/** The size of an index in bytes, and Elasticsearch's counters of its searches. */
export interface IndexStats {
  bytes: number;
  searches: { count: number; milliseconds: number };
}

/** Finds every open index with the name of a generation. @throws ElasticsearchClientError */
export async function readIndexStats(client: Client, prefix: string): Promise<Map<string, IndexStats>> {
  const { indices } = await client.indices.stats({
    index: [`${statesAlias(prefix)}-*`, `${itemsAlias(prefix)}-*`, changesPattern(prefix)],
    metric: ['store', 'search'],
  });
  return new Map(
    Object.entries(indices ?? {}).map(([index, { total }]) => [
      index,
      {
        bytes: total?.store?.size_in_bytes ?? 0,
        searches: {
          count: total?.search?.query_total ?? 0,
          milliseconds: Number(total?.search?.query_time_in_millis ?? 0),
        },
      },
    ]),
  );
}

/**
 * Reads the contents of a generation, its lag and its projectors.
 * @param topicId the id of the events topic, or undefined if the topic does not exist
 * @throws KafkaError; ElasticsearchClientError
 */
export async function readGenerationStatus(
  { client, admin, settings }: CommandContext,
  topicId: string | undefined,
  record: GenerationRecord,
  role: Role,
  stats: ReadonlyMap<string, IndexStats>,
): Promise<GenerationStatus> {
  const { number, phase, created_at: createdAt, origin, versions, verification } = record;
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
  const topic = settings.LISTING_EVENTS_TOPIC;
  const trouble = topicTrouble(topic, topicId, record);
  // The recorded start belongs to the topic that the generation has read.
  const { offsets: _, ...withoutStart } = record;
  return {
    number,
    role,
    phase,
    createdAt,
    ageSeconds: Math.max(0, Math.round((Date.now() - Date.parse(createdAt)) / 1_000)),
    origin,
    versions,
    ...(await contents(
      client,
      generationNames(settings.INDEX_PREFIX, number),
      record,
      stats,
      phase === 'creating' || phase === 'folding' || phase === 'copying',
    )),
    groupId,
    ...(phase !== 'pruning' &&
      topicId !== undefined && {
        lag: await lagOf(admin, groupId, topic, trouble === undefined ? record : withoutStart),
      }),
    ...(trouble !== undefined && { topicTrouble: trouble }),
    members: await membersOf(admin, groupId, topic),
    ...(verification && { verification }),
  };
}

async function contents(
  client: Client,
  generation: Generation,
  { versions, index_ids }: Pick<GenerationRecord, 'versions' | 'index_ids'>,
  stats: ReadonlyMap<string, IndexStats>,
  young: boolean,
): Promise<
  Pick<GenerationStatus, 'trouble' | 'findings' | 'items' | 'states' | 'hidden' | 'sizeBytes' | 'searches'>
> {
  const { states, items, changes } = generation;
  const missing = [states, items, ...(versions.changes === undefined ? [] : [changes])].filter(
    (index) => !stats.has(index),
  );
  if (missing.length > 0)
    return { trouble: young ? 'the indices do not exist yet' : `missing indices: ${missing.join(', ')}` };
  try {
    const [counts, { fatal, notes }] = await Promise.all([
      countListings(client, { states, items }),
      inspectIndices(client, generation, versions, index_ids),
    ]);
    const findings = [...fatal, ...notes];
    const bytes = {
      states: stats.get(states)?.bytes ?? 0,
      items: stats.get(items)?.bytes ?? 0,
      changes: stats.get(changes)?.bytes ?? 0,
    };
    const searches = stats.get(items)?.searches;
    return {
      ...counts,
      ...(findings.length > 0 && { findings }),
      sizeBytes: { ...bytes, total: bytes.states + bytes.items + bytes.changes },
      ...(searches && { searches }),
    };
  } catch (error) {
    // Another process may be creating or deleting the index. Any response from Elasticsearch is part of the
    // status.
    if (!(error instanceof errors.ResponseError)) throw error;
    return { trouble: `could not read its indices: ${failureReason(error)}` };
  }
}

async function lagOf(
  admin: KafkaAdmin,
  groupId: string,
  topic: string,
  { offsets: starts = {} }: GenerationRecord,
): Promise<Lag> {
  const offsets = await readOffsets(admin, groupId, topic);
  const held = offsets
    .filter(({ stable, end }) => stable < end)
    .map(({ partition, stable, end }) => ({ partition, offset: stable, records: Number(end - stable) }));
  const logs = offsets.map(({ partition, low, end, committed }) => {
    const from = committed ?? BigInt(starts[partition] ?? low);
    const offset = from > low ? from : low;
    return { partition, offset, records: end > offset ? Number(end - offset) : 0 };
  });
  const behind = logs.filter(({ records }) => records > 0);
  const [ages, heldAges] = [await recordAgesIn(admin, topic, behind), await recordAgesIn(admin, topic, held)];
  const partitions = logs
    .map(({ partition, records }) => ({
      partition,
      records,
      seconds: 0,
      capped: false,
      ...ages.get(partition),
    }))
    .sort((a, b) => a.partition - b.partition);
  return {
    records: partitions.reduce((sum, { records }) => sum + records, 0),
    position: logs.reduce((sum, { offset }) => sum + Number(offset), 0),
    seconds: Math.max(0, ...partitions.map(({ seconds }) => seconds)),
    capped: partitions.some(({ capped }) => capped),
    partitions,
    openTransactions: held.map((one) => ({
      seconds: 0,
      capped: false,
      ...one,
      ...heldAges.get(one.partition),
      offset: Number(one.offset),
    })),
  };
}

async function membersOf(admin: KafkaAdmin, groupId: string, topic: string): Promise<GroupMember[]> {
  const { members } = await admin.describeGroup(groupId);
  return members.map(({ clientId, host, partitions }) => ({
    clientId,
    host,
    partitions: partitions[topic]?.length ?? 0,
  }));
}
