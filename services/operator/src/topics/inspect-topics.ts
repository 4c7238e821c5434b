import { deadLetterTopic, type KafkaAdmin } from '@vitrine/kafka';
import { readOffsetsRetention, readTopicState, type TopicState } from '@vitrine/projection/topics';
import { checkTopicStates, type TopicFinding } from './topic-findings.ts';

/** The context of a topics command, which connects only to Kafka. */
export interface TopicOperation {
  settings: { LISTING_EVENTS_TOPIC: string; DEAD_LETTER_TOPIC?: string };
  /** A connected client. */
  admin: KafkaAdmin;
  signal: AbortSignal;
}

/** The state of both topics, and their problems. */
export interface TopicsReport {
  brokers: number;
  /** The state of the events topic, if the topic exists. */
  events?: TopicState;
  deadLetters?: TopicState;
  findings: TopicFinding[];
}

/** Reads and checks both topics, but does not change them. @throws Kafka's errors */
export async function inspectTopics({
  settings,
  admin,
}: Omit<TopicOperation, 'signal'>): Promise<TopicsReport> {
  const names = { events: settings.LISTING_EVENTS_TOPIC, deadLetters: deadLetterTopic(settings) };
  const { brokers } = await admin.describeCluster();
  const offsetsRetention = await readOffsetsRetention(
    admin,
    brokers.map(({ nodeId }) => nodeId),
  );
  const [events, deadLetters] = [
    await readTopicState(admin, names.events),
    await readTopicState(admin, names.deadLetters),
  ];
  return {
    brokers: brokers.length,
    ...(events && { events }),
    ...(deadLetters && { deadLetters }),
    findings: checkTopicStates(names, events, deadLetters, offsetsRetention),
  };
}

/** Returns whether there is an error. If `strict` is set, warnings count too. */
export const isUnfit = ({ findings }: TopicsReport, strict: boolean): boolean =>
  findings.some(({ severity }) => strict || severity === 'error');
