import type { Client } from '@elastic/elasticsearch';
import { type GenerationRecord, withChanges } from '@vitrine/feed-index';
import {
  assertOffsetsInLog,
  LostOffsetsError,
  type PartitionOffsets,
  readOffsets,
  startAtEnd,
} from '@vitrine/kafka';
import type { Log } from '@vitrine/runtime/log';
import type { Admin } from 'kafkajs';
import type { ProjectorSettings } from '../settings.ts';
import { updateRegistry } from './registry.ts';
import { decideStart, deletedSince } from './start-decision.ts';

interface Start {
  client: Client;
  admin: Admin;
  settings: Pick<ProjectorSettings, 'INDEX_PREFIX' | 'LISTING_EVENTS_TOPIC' | 'START_OFFSET'>;
  log: Log;
}

/**
 * Prepares the group of a generation before a projector joins it. Commits the start of a new group
 * (START_OFFSET) and records the first start in the registry, so that a group that later loses its commits
 * never skips records silently. Repeated and concurrent calls are safe, because existing commits take
 * precedence and every call writes the commits before the registry.
 * @throws LostOffsetsError if the group lost its commits and could skip records; the clients' errors
 */
export async function prepareStart(
  { client, admin, settings, log }: Start,
  record: GenerationRecord,
  groupId: string,
): Promise<void> {
  const { INDEX_PREFIX: prefix, LISTING_EVENTS_TOPIC: topic } = settings;
  const startOffset = settings.START_OFFSET as 'earliest' | 'latest';
  const offsets = await readOffsets(admin, groupId, topic);
  assertOffsetsInLog(groupId, topic, offsets);
  const decision = decideStart(startOffset, record.first_start, offsets);
  if (decision === 'refuse')
    throw new LostOffsetsError(refusal(startOffset, record, groupId, topic, offsets));
  if (decision === 'read again')
    log.warn(
      { generation: record.number, groupId },
      'the group has no committed offsets, so the projector reads the log again from the start',
    );
  if (decision === 'first start' && startOffset === 'latest')
    await startAtEnd(admin, groupId, topic, offsets);
  if (record.first_start !== null) return;
  const first_start = {
    at: new Date().toISOString(),
    low: Object.fromEntries(offsets.map(({ partition, low }) => [partition, String(low)])),
  };
  await updateRegistry(client, prefix, (registry) =>
    // There is nothing to record if the generation was pruned or another process has recorded the start.
    registry.generations.some((one) => one.number === record.number && one.first_start === null)
      ? withChanges(registry, record.number, { first_start })
      : registry,
  );
}

function refusal(
  startOffset: 'earliest' | 'latest',
  { number, first_start }: GenerationRecord,
  groupId: string,
  topic: string,
  offsets: readonly PartitionOffsets[],
): string {
  const since = first_start ? `since ${first_start.at}` : 'before';
  const lost = deletedSince(first_start, offsets).map(
    ({ partition, low }) => `partition ${partition} begins at offset ${low}`,
  );
  return [
    `group ${groupId} has no committed offsets for ${topic}, although a projector has written generation ` +
      `${number} ${since}.`,
    'Kafka deletes the offsets of a group that has no members for offsets.retention.minutes, and the ' +
      'offsets of a deleted topic.',
    ...(startOffset === 'latest'
      ? ['START_OFFSET=latest would skip all records since the last commit.']
      : []),
    ...(lost.length > 0
      ? [`The log no longer holds all records (${lost.join(', ')}).`]
      : ['START_OFFSET=earliest reads the whole log again, which is safe.']),
    "The projector never skips records silently. Run replay, or set the group's offsets yourself",
  ].join(' ');
}
