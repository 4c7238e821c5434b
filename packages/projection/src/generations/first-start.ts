import type { Client } from '@elastic/elasticsearch';
import { type GenerationRecord, withTopic } from '@vitrine/feed-index';
import {
  assertOffsetsInLog,
  describeOtherTopic,
  type KafkaAdmin,
  LostOffsetsError,
  type PartitionOffsets,
  readOffsets,
  readTopicId,
  startAt,
} from '@vitrine/kafka';
import type { Log } from '@vitrine/runtime/log';
import type { ProjectorSettings } from '../settings.ts';
import { updateRegistry } from './registry.ts';
import { decideStart, deletedSince, type FirstStart, uncommitted } from './start-decision.ts';

interface Start {
  client: Client;
  admin: KafkaAdmin;
  settings: Pick<ProjectorSettings, 'INDEX_PREFIX' | 'LISTING_EVENTS_TOPIC' | 'START_OFFSET'>;
  log: Log;
}

/**
 * Prepares a generation's consumer group before a projector joins it. Commits the start of a new group
 * (START_OFFSET) and records the first start in the registry, so that a group that later loses its commits
 * never skips records silently. If the topic was deleted and created again, the group reads the new topic
 * from its beginning. Repeated and concurrent calls are safe, because existing commits take precedence and
 * every call writes the commits before the registry.
 * @returns the id of the topic
 * @throws LostOffsetsError if the group lost its commits and could skip records; MissingTopicError
 */
export async function prepareStart(
  { client, admin, settings, log }: Start,
  record: GenerationRecord,
  groupId: string,
): Promise<string> {
  const { INDEX_PREFIX: prefix, LISTING_EVENTS_TOPIC: topic } = settings;
  const startOffset = settings.START_OFFSET as 'earliest' | 'latest';
  const offsets = await readOffsets(admin, groupId, topic);
  const topicId = offsets[0]?.topicId ?? (await readTopicId(admin, topic));
  const staleId = offsets.find((one) => one.staleId !== undefined)?.staleId;
  const was = staleId ?? record.topic_id ?? topicId;
  assertOffsetsInLog(groupId, topic, offsets);
  // The recorded start of an earlier topic says nothing about this topic.
  const firstStart = was === topicId || record.first_start === null ? record.first_start : undefined;
  const decision = decideStart(startOffset, firstStart, offsets);
  if (decision === 'refuse')
    throw new LostOffsetsError(
      refusal(startOffset, record.number, firstStart, { groupId, topic, was }, offsets),
    );
  if (was !== topicId)
    log.warn(
      { generation: record.number, groupId, decision, was, is: topicId },
      describeOtherTopic(topic, was, topicId),
    );
  if (decision === 'read again')
    log.warn(
      { generation: record.number, groupId },
      'the group has no committed offsets for this topic, so the projector reads the log from its start',
    );
  if (decision === 'first start' && startOffset === 'latest')
    // The records of an open transaction are not in the past, because no consumer could read them yet.
    await startAt(admin, groupId, topic, offsets, ({ stable }) => stable);
  if (decision === 'read again' && staleId !== undefined)
    await startAt(admin, groupId, topic, offsets, ({ low }) => low);
  const firstStartNow = {
    at: new Date().toISOString(),
    low: Object.fromEntries(offsets.map(({ partition, low }) => [partition, String(low)])),
  };
  await updateRegistry(client, prefix, (registry) =>
    withTopic(registry, record.number, topicId, firstStartNow),
  );
  return topicId;
}

function refusal(
  startOffset: 'earliest' | 'latest',
  number: number,
  firstStart: FirstStart,
  { groupId, topic, was }: { groupId: string; topic: string; was: string },
  offsets: readonly PartitionOffsets[],
): string {
  const since = firstStart ? `since ${firstStart.at}` : 'before';
  const unread = uncommitted(offsets);
  const isPartial = unread.length < offsets.length && was === offsets[0]?.topicId;
  const lost = deletedSince(firstStart, isPartial ? unread : offsets).map(
    ({ partition, low }) => `partition ${partition} begins at offset ${low}`,
  );
  const topicId = offsets[0]?.topicId ?? was;
  return [
    ...(was === topicId ? [] : [`${describeOtherTopic(topic, was, topicId)}.`]),
    `group ${groupId} has no committed offsets for ${isPartial ? `${describePartitions(unread)} of ` : ''}` +
      `${topic}, although a projector has written generation ${number} ${since}.`,
    ...(isPartial
      ? []
      : [
          'Kafka deletes the offsets of a group that has no members for offsets.retention.minutes, and the ' +
            'offsets of a deleted topic.',
        ]),
    ...(startOffset === 'latest' && !isPartial
      ? ['START_OFFSET=latest would skip all records since the last commit.']
      : []),
    ...(lost.length > 0
      ? [`The log no longer holds all records (${lost.join(', ')}).`]
      : ['START_OFFSET=earliest reads the whole log again, which is safe.']),
    "The projector never skips records silently. Run replay, or set the group's offsets yourself",
  ].join(' ');
}

const describePartitions = (offsets: readonly PartitionOffsets[]): string =>
  `partition${offsets.length === 1 ? '' : 's'} ${offsets.map(({ partition }) => partition).join(', ')}`;
