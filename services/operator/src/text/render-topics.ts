import type { TopicState } from '@vitrine/projection/topics';
import type { Created } from '../topics/create-topics.ts';
import type { TopicsReport } from '../topics/inspect-topics.ts';
import { retentionLimits } from '../topics/topic-findings.ts';
import { counted, plainTable, printable, size } from './plain-text.ts';

/** Formats the topics and their problems as human-readable text. Pure. */
export function renderTopics({ brokers, events, deadLetters, findings }: TopicsReport): string {
  const topics = [events, deadLetters].filter((topic) => topic !== undefined);
  const parts = [counted(brokers, 'broker|brokers')];
  if (topics.length > 0)
    parts.push(
      plainTable(HEAD, topics.map(row), { right: ['partitions', 'replicas', 'in sync', 'largest batch'] }),
    );
  parts.push(
    findings.length === 0
      ? 'Both topics have suitable settings.'
      : findings
          .map(
            ({ severity, topic, subject, detail }) =>
              `${severity}: ${printable(topic)}, ${subject}: ${detail}`,
          )
          .join('\n'),
  );
  return parts.join('\n\n');
}

const HEAD = [
  'topic',
  'partitions',
  'replicas',
  'in sync',
  'cleanup',
  'kept',
  'largest batch',
  'time of a record',
];

function row(state: TopicState): (string | number)[] {
  const { topic, partitions, replicationFactor, settings } = state;
  const largest = settings['max.message.bytes'];
  return [
    topic,
    partitions,
    replicationFactor,
    settings['min.insync.replicas'] ?? '–',
    settings['cleanup.policy'] || 'none',
    kept(state),
    largest === undefined ? '–' : size(Number(largest)),
    settings['message.timestamp.type'] ?? '–',
  ];
}

function kept(state: TopicState): string {
  const limits = retentionLimits(state);
  const text = limits.length === 0 ? 'unlimited' : limits.map((limit) => limit.text).join(', ');
  return state.settings['remote.storage.enable'] === 'true' ? `${text}, tiered` : text;
}

/** Formats the created topics, then the state of both topics. Pure. */
export function renderCreated({ created, dryRun, ...report }: Created): string {
  const done = dryRun ? 'Would be created' : 'Created';
  const head =
    created.length > 0
      ? `${done}: ${created.map(printable).join(', ')}.`
      : 'Both topics already exist. Nothing was changed.';
  return dryRun ? head : `${head}\n\n${renderTopics(report)}`;
}
