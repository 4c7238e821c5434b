import {
  changesHistoryIndex,
  describeMismatch,
  generationNames,
  hasSameModule,
  type SelfCheckRecord,
} from '@vitrine/feed-index';
import { deadLetterTopic, type KafkaAdmin, MissingTopicError, readTopicId } from '@vitrine/kafka';
import { readRegistry, readRoles, roleOf, versionsWith } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { readChangesStatus } from './changes-status.ts';
import { readGenerationStatus, readIndexStats } from './generation-status.ts';
import { healthOf } from './health.ts';
import { runningOf } from './running-status.ts';
import type { GenerationStatus, SelfCheckStatus, Status } from './status.ts';

/**
 * Reads the current status of the deployment. Changes nothing. @throws KafkaError; ElasticsearchClientError
 */
export async function gatherStatus(context: CommandContext): Promise<Status> {
  const { client, admin, settings, rules } = context;
  const { INDEX_PREFIX: prefix, LISTING_EVENTS_TOPIC: topic } = settings;
  const [registry, roles, stats, { changes, keptChanges }] = await Promise.all([
    readRegistry(client, prefix),
    readRoles(client, prefix),
    readIndexStats(client, prefix),
    readChangesStatus(client, prefix),
  ]);
  const topicId = await readTopicId(admin, topic).catch((error: unknown) => {
    if (error instanceof MissingTopicError) return undefined;
    throw error;
  });
  const now = Date.now();
  const generations: GenerationStatus[] = [];
  for (const record of registry?.generations ?? [])
    generations.push(
      await readGenerationStatus(context, topicId, record, roleOf(record, roles, registry, now), stats),
    );
  const liveRecord = registry?.generations.find(({ number }) => number === roles.live);
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
  const status: Omit<Status, 'health'> = {
    prefix,
    topic,
    ...(topicId !== undefined && { topicId }),
    generations,
    ...(rules.reasons && { reasons: rules.reasons }),
    ...(liveRecord &&
      !hasSameModule(liveRecord.versions.rules, rules.version) && {
        otherModule: describeMismatch(liveRecord, versionsWith(rules)),
      }),
    events: { end: sumOf(await offsetsOf(admin, topic), ({ high }) => Number(high)) },
    deadLetters: { topic: topicOfDeadLetters, records: await recordsIn(admin, topicOfDeadLetters) },
    ...(running && { running }),
    ...(registry?.self_check && { selfCheck: selfCheckStatus(registry.self_check) }),
    ...(registry?.reconciliation && { reconciliation: registry.reconciliation }),
    ...(changes && { changes }),
    keptChanges,
    orphanedIndices: [...stats.keys()].filter((index) => !ours.has(index)).sort(),
  };
  return { health: healthOf(status), ...status };
}

const selfCheckStatus = ({ since, succeeded_at, last }: SelfCheckRecord): SelfCheckStatus => ({
  since,
  ...(succeeded_at !== undefined && { succeededAt: succeeded_at }),
  ...(last && { last }),
});

async function recordsIn(admin: KafkaAdmin, topic: string): Promise<number> {
  return sumOf(await offsetsOf(admin, topic), ({ low, high }) => Number(BigInt(high) - BigInt(low)));
}

const sumOf = <T>(values: readonly T[], count: (value: T) => number): number =>
  values.reduce((sum, value) => sum + count(value), 0);

/** The offsets of a topic's partitions. The list is empty if the topic does not exist. */
const offsetsOf = async (admin: KafkaAdmin, topic: string): Promise<{ low: string; high: string }[]> =>
  (await admin.listTopics()).includes(topic) ? admin.fetchTopicOffsets(topic) : [];
