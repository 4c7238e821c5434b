import { type Client, errors } from '@elastic/elasticsearch';
import {
  type Builder,
  builderClientId,
  changesHistoryIndex,
  changesPattern,
  type Generation,
  type GenerationRecord,
  generationNames,
  isAlive,
  itemsAlias,
  type Registry,
  type SelfCheckRecord,
  statesAlias,
  unfinishedGeneration,
} from '@vitrine/feed-index';
import {
  countListings,
  groupOf,
  type Role,
  readRegistry,
  readRoles,
  roleOf,
} from '@vitrine/projection/generations';
import { readOffsets, recordAgesIn } from '@vitrine/projection/kafka';
import { deadLetterTopic } from '@vitrine/runtime/kafka';
import kafkajs, { type Admin } from 'kafkajs';
import type { CommandContext } from '../command-context.ts';
import { readChangesStatus } from './changes-status.ts';
import type {
  BuilderStatus,
  GenerationStatus,
  GroupMember,
  Lag,
  Running,
  SelfCheckStatus,
  Status,
} from './status.ts';

/** Reads the current status of the deployment. Changes nothing. @throws the clients' errors */
export async function gatherStatus(context: CommandContext): Promise<Status> {
  const { client, admin, settings } = context;
  const { INDEX_PREFIX: prefix, LISTING_EVENTS_TOPIC: topic } = settings;
  const [registry, roles, stats, { changes, keptChanges }] = await Promise.all([
    readRegistry(client, prefix),
    readRoles(client, prefix),
    indexStats(client, prefix),
    readChangesStatus(client, prefix),
  ]);
  const now = Date.now();
  const generations: GenerationStatus[] = [];
  for (const record of registry?.generations ?? [])
    generations.push(await generationStatus(context, record, roleOf(record, roles, registry, now), stats));
  const ours = new Set([
    ...(registry?.generations ?? []).flatMap(({ number }) => {
      const { states, items, changes } = generationNames(prefix, number);
      return [states, items, changes];
    }),
    ...keptChanges.map(({ generation }) => generationNames(prefix, generation).changes),
    changesHistoryIndex(prefix),
  ]);
  const topicOfDeadLetters = deadLetterTopic(settings);
  const running = registry && runningOf(registry, generations, now);
  return {
    prefix,
    topic,
    generations,
    events: { end: sumOf(await offsetsOf(admin, topic), ({ high }) => Number(high)) },
    deadLetters: { topic: topicOfDeadLetters, records: await recordsIn(admin, topicOfDeadLetters) },
    ...(running && { running }),
    ...(registry?.self_check && { selfCheck: selfCheckStatus(registry.self_check) }),
    ...(changes && { changes }),
    keptChanges,
    orphanedIndices: [...stats.keys()].filter((index) => !ours.has(index)).sort(),
  };
}

const selfCheckStatus = ({ since, succeeded_at, last }: SelfCheckRecord): SelfCheckStatus => ({
  since,
  ...(succeeded_at !== undefined && { succeededAt: succeeded_at }),
  ...(last && { last }),
});

function runningOf(
  registry: Registry,
  generations: readonly GenerationStatus[],
  now: number,
): Running | undefined {
  const { builders = [] } = registry;
  if (builders.length === 0) return undefined;
  const record = unfinishedGeneration(registry);
  const members = generations.flatMap((one) => one.members);
  const known = builders.filter(({ lost, total }) => !lost && total !== undefined);
  const latest = known.sort((a, b) => Date.parse(a.seen_at) - Date.parse(b.seen_at)).at(-1);
  return {
    ...(record && { generation: record.number, phase: record.phase }),
    ...(latest?.done !== undefined && { done: latest.done }),
    ...(latest?.total !== undefined && { total: latest.total }),
    alive: builders.some((builder) => isAlive(builder, now)),
    builders: builders.map((builder) => builderStatus(builder, record, members, now)),
  };
}

function builderStatus(
  builder: Builder,
  record: GenerationRecord | undefined,
  members: readonly GroupMember[],
  now: number,
): BuilderStatus {
  const { id, host, pid, started_at: startedAt, seen_at: seenAt, lost } = builder;
  const partitions = members.find(({ clientId }) => clientId === builderClientId(id))?.partitions;
  const own = record?.scan?.slices.filter((slice) => slice.builder === id) ?? [];
  const slices = {
    done: own.filter(({ done }) => done).length,
    inProgress: own.filter(({ done }) => !done).length,
    takenOver: own.filter(({ lost }) => lost).length,
  };
  return {
    host,
    pid,
    startedAt,
    seenAt,
    alive: isAlive(builder, now),
    ...(partitions !== undefined && { partitions }),
    ...(own.length > 0 && { slices }),
    ...(lost && { lost }),
  };
}

async function generationStatus(
  { client, admin, settings }: CommandContext,
  record: GenerationRecord,
  role: Role,
  stats: ReadonlyMap<string, IndexStats>,
): Promise<GenerationStatus> {
  const { number, phase, created_at: createdAt, origin, versions, verification } = record;
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
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
      versions.changes !== undefined,
      stats,
      phase === 'creating' || phase === 'folding' || phase === 'copying',
    )),
    groupId,
    ...(phase !== 'pruning' && { lag: await lagOf(admin, groupId, settings.LISTING_EVENTS_TOPIC, record) }),
    members: await membersOf(admin, groupId, settings.LISTING_EVENTS_TOPIC),
    ...(verification && { verification }),
  };
}

/** The size of an index in bytes, and Elasticsearch's counters of its searches. */
interface IndexStats {
  bytes: number;
  searches: { count: number; milliseconds: number };
}

/** Finds every open index with the name of a generation. */
async function indexStats(client: Client, prefix: string): Promise<Map<string, IndexStats>> {
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

async function contents(
  client: Client,
  { states, items, changes }: Generation,
  hasChanges: boolean,
  stats: ReadonlyMap<string, IndexStats>,
  young: boolean,
): Promise<Pick<GenerationStatus, 'trouble' | 'items' | 'states' | 'hidden' | 'sizeBytes' | 'searches'>> {
  const missing = [states, items, ...(hasChanges ? [changes] : [])].filter((index) => !stats.has(index));
  if (missing.length > 0)
    return { trouble: young ? 'the indices do not exist yet' : `missing indices: ${missing.join(', ')}` };
  try {
    const counts = await countListings(client, { states, items });
    const bytes = {
      states: stats.get(states)?.bytes ?? 0,
      items: stats.get(items)?.bytes ?? 0,
      changes: stats.get(changes)?.bytes ?? 0,
    };
    const searches = stats.get(items)?.searches;
    return {
      ...counts,
      sizeBytes: { ...bytes, total: bytes.states + bytes.items + bytes.changes },
      ...(searches && { searches }),
    };
  } catch (error) {
    // Another process may be creating or deleting the index. Any response of Elasticsearch is part of the
    // status.
    if (!(error instanceof errors.ResponseError)) throw error;
    return { trouble: `could not read its indices: ${error.body?.error?.reason ?? error.message}` };
  }
}

async function lagOf(
  admin: Admin,
  groupId: string,
  topic: string,
  { offsets: starts = {} }: GenerationRecord,
): Promise<Lag> {
  const logs = (await readOffsets(admin, groupId, topic)).map(({ partition, low, end, committed }) => {
    const from = committed ?? BigInt(starts[partition] ?? low);
    const offset = from > low ? from : low;
    return { partition, offset, records: end > offset ? Number(end - offset) : 0 };
  });
  const behind = logs.filter(({ records }) => records > 0);
  const ages = await recordAgesIn(admin, topic, behind);
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
    seconds: Math.max(0, ...partitions.map(({ seconds }) => seconds)),
    capped: partitions.some(({ capped }) => capped),
    partitions,
  };
}

async function membersOf(admin: Admin, groupId: string, topic: string): Promise<GroupMember[]> {
  const { groups } = await admin.describeGroups([groupId]);
  return (groups[0]?.members ?? []).map(({ clientId, clientHost, memberAssignment }) => {
    // While the group rebalances, a member has no assignment.
    const assigned =
      memberAssignment.length > 0 ? kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment) : null;
    return {
      clientId,
      host: clientHost.replace(/^\//, ''),
      partitions: assigned?.assignment[topic]?.length ?? 0,
    };
  });
}

async function recordsIn(admin: Admin, topic: string): Promise<number> {
  return sumOf(await offsetsOf(admin, topic), ({ low, high }) => Number(BigInt(high) - BigInt(low)));
}

const sumOf = <T>(values: readonly T[], count: (value: T) => number): number =>
  values.reduce((sum, value) => sum + count(value), 0);

/** The offsets of a topic's partitions. Empty if the topic does not exist. */
const offsetsOf = async (admin: Admin, topic: string): Promise<{ low: string; high: string }[]> =>
  (await admin.listTopics()).includes(topic) ? admin.fetchTopicOffsets(topic) : [];
