import { OWN_HEADERS_BYTES } from '@vitrine/projection/dead-letters';
import {
  DEAD_LETTER_ROOM,
  KAFKA_MESSAGE_BYTES,
  LARGEST_EVENT_BYTES,
  type TopicSetting,
  type TopicState,
} from '@vitrine/projection/topics';
import { duration, size } from '../text/plain-text.ts';

/**
 * A problem with a topic. An error breaks a guarantee, now or at the next failure. A warning weakens a
 * guarantee.
 */
export interface TopicFinding {
  severity: 'error' | 'warning';
  topic: string;
  /** The topic setting or property that causes the problem. */
  subject: TopicSetting | 'topic' | 'partitions' | 'replicas' | 'offsets.retention.minutes';
  detail: string;
}

type Finding = Omit<TopicFinding, 'topic'>;

/** The minimum time for which Kafka should keep a stopped projector's offsets: 30 days. */
const MIN_OFFSETS_RETENTION_MINUTES = 30 * 24 * 60;

/**
 * Checks whether the two topics meet the projection's requirements. Pure.
 * @param offsetsRetention how long Kafka stores the commits of a group without members, in minutes; undefined
 * if unknown
 * @returns all problems, errors first
 */
export function checkTopicStates(
  names: { events: string; deadLetters: string },
  events: TopicState | undefined,
  deadLetters: TopicState | undefined,
  offsetsRetention?: number,
): TopicFinding[] {
  const about = (topic: string, findings: Finding[]): TopicFinding[] =>
    findings.map((judgement) => ({ ...judgement, topic }));
  const findings = [
    ...about(
      names.events,
      events
        ? [...checkEventsTopic(events), ...checkOffsetsRetention(offsetsRetention)]
        : [error('topic', 'the topic does not exist. Run `topics create` to create it')],
    ),
    ...about(
      names.deadLetters,
      deadLetters
        ? checkDeadLetterTopic(deadLetters, events && largestBatch(events))
        : [
            warning(
              'topic',
              'the topic does not exist. The projector creates the topic at its start, with the default ' +
                'replication factor of the brokers',
            ),
          ],
    ),
  ];
  return findings.sort((a, b) => a.severity.localeCompare(b.severity));
}

const error = (subject: TopicFinding['subject'], detail: string): Finding => ({
  severity: 'error',
  subject,
  detail,
});
const warning = (subject: TopicFinding['subject'], detail: string): Finding => ({
  severity: 'warning',
  subject,
  detail,
});

const largestBatch = ({ settings }: TopicState): number =>
  Number(settings['max.message.bytes'] ?? KAFKA_MESSAGE_BYTES);

/**
 * Reports the settings that let Kafka delete records. `texts` describes the consequences of compaction and of
 * retention.
 */
function checkDeletion(
  topic: TopicState,
  texts: { compaction: string; records: string; retention: string },
): Finding[] {
  const findings: Finding[] = isCompacted(topic) ? [error('cleanup.policy', texts.compaction)] : [];
  const limits = retentionLimits(topic);
  if (limits.length > 0)
    findings.push(
      warning(
        limits[0]?.setting ?? 'retention.ms',
        `Kafka deletes ${texts.records} (${limits.map(({ text }) => text).join(', ')}), ${texts.retention}`,
      ),
    );
  return findings;
}

function checkEventsTopic(events: TopicState): Finding[] {
  const { settings, partitions } = events;
  const findings = checkDeletion(events, {
    compaction:
      'the topic is compacted, so Kafka keeps only the last, partial event of each listing, and no replay ' +
      'can restore the deleted events',
    records: 'events',
    retention:
      'so a replay from the topic is incomplete, and a projector does not start if it has missed deleted ' +
      'events',
  });
  if (
    retentionLimits(events).some(({ setting }) => setting === 'retention.ms') &&
    settings['message.timestamp.type'] !== 'LogAppendTime'
  )
    findings.push(
      warning(
        'message.timestamp.type',
        'the producer sets the timestamp of a record, so Kafka may delete a late record too early',
      ),
    );
  if (largestBatch(events) < LARGEST_EVENT_BYTES)
    findings.push(
      warning(
        'max.message.bytes',
        `${size(largestBatch(events))} is too small for the largest accepted event (1 MiB) with its key ` +
          `and headers. Set at least ${LARGEST_EVENT_BYTES}`,
      ),
    );
  if (partitions === 1)
    findings.push(
      warning('partitions', 'the topic has only one partition, so a second projector has no work'),
    );
  return [...findings, ...checkReplicas(events)];
}

function checkOffsetsRetention(minutes: number | undefined): Finding[] {
  if (minutes === undefined || minutes >= MIN_OFFSETS_RETENTION_MINUTES) return [];
  return [
    warning(
      'offsets.retention.minutes',
      `the brokers delete the offsets of a group without members after ${duration(minutes * 60)}. A ` +
        'projector that is stopped for longer reads the whole log again, and does not start if that would ' +
        `skip records. Set at least ${MIN_OFFSETS_RETENTION_MINUTES} (one month)`,
    ),
  ];
}

function checkDeadLetterTopic(deadLetters: TopicState, largestRecord: number | undefined): Finding[] {
  const findings = checkDeletion(deadLetters, {
    compaction:
      'the topic is compacted, so Kafka keeps only the last dead letter of each listing and refuses dead ' +
      'letters without a key',
    records: 'dead letters',
    retention: 'even before their repair',
  });
  if (largestRecord !== undefined && largestBatch(deadLetters) < largestRecord + OWN_HEADERS_BYTES)
    findings.push(
      error(
        'max.message.bytes',
        `${size(largestBatch(deadLetters))} is too small for the largest record of the events topic with ` +
          'the headers of a dead letter. Such a record would stop the projector. Set at least ' +
          `${largestRecord * DEAD_LETTER_ROOM}`,
      ),
    );
  else if (largestRecord !== undefined && largestBatch(deadLetters) < largestRecord * DEAD_LETTER_ROOM)
    findings.push(
      warning(
        'max.message.bytes',
        `${size(largestBatch(deadLetters))} may be too small for a record that its producer compressed ` +
          `better than the projector can. Set at least ${largestRecord * DEAD_LETTER_ROOM}`,
      ),
    );
  return [...findings, ...checkReplicas(deadLetters)];
}

function checkReplicas({ replicationFactor, underReplicated, settings }: TopicState): Finding[] {
  const findings: Finding[] = [];
  const required = Number(settings['min.insync.replicas'] ?? 1);
  if (required > replicationFactor)
    findings.push(
      error(
        'min.insync.replicas',
        `the value (${required}) exceeds the replication factor (${replicationFactor}), so producers ` +
          'cannot write with acks=all',
      ),
    );
  else if (replicationFactor === 1)
    findings.push(warning('replicas', 'only one replica exists, so the loss of a broker loses records'));
  else if (required === 1)
    findings.push(
      warning(
        'min.insync.replicas',
        'the leader alone can acknowledge a record, so the loss of a broker can lose acknowledged records',
      ),
    );
  else if (required === replicationFactor)
    findings.push(
      warning(
        'min.insync.replicas',
        'every replica must store each record, so producers cannot write while one broker is down',
      ),
    );
  if (underReplicated.length > 0)
    findings.push(
      warning('replicas', `a replica of partition ${underReplicated.join(', ')} is behind or missing`),
    );
  if (settings['unclean.leader.election.enable'] === 'true')
    findings.push(
      warning(
        'unclean.leader.election.enable',
        'a replica that is behind may become the leader, so acknowledged records can be lost',
      ),
    );
  return findings;
}

const isCompacted = ({ settings }: TopicState): boolean =>
  (settings['cleanup.policy'] ?? '').split(',').some((policy) => policy.trim() === 'compact');

/** Lists the limits of a topic's retention. The result is empty if Kafka never deletes records. */
export function retentionLimits({ settings }: TopicState): { setting: TopicSetting; text: string }[] {
  if (!(settings['cleanup.policy'] ?? 'delete').includes('delete')) return [];
  const limits: { setting: TopicSetting; text: string }[] = [];
  const [ms, bytes] = [Number(settings['retention.ms'] ?? -1), Number(settings['retention.bytes'] ?? -1)];
  if (ms >= 0) limits.push({ setting: 'retention.ms', text: `after ${duration(ms / 1_000)}` });
  if (bytes >= 0) limits.push({ setting: 'retention.bytes', text: `beyond ${size(bytes)} per partition` });
  return limits;
}
