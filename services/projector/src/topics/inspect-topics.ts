import { deadLetterTopic } from '@vitrine/runtime';
import type { Admin } from 'kafkajs';
import { judgeTopics, type TopicFinding } from './judge-topics.ts';
import { readOffsetsRetention, readTopicState, type TopicState } from './topic-state.ts';

/** What a command on topics works with: Kafka alone. */
export interface TopicOperation {
  settings: { LISTING_EVENTS_TOPIC: string; DEAD_LETTER_TOPIC?: string };
  /** Connected. */
  admin: Admin;
}

/** The two topics as they are, and what is wrong with them. */
export interface TopicsReport {
  brokers: number;
  /** Absent = there is none. */
  events?: TopicState;
  deadLetters?: TopicState;
  findings: TopicFinding[];
}

/** Reads both topics and judges them; changes nothing. @throws Kafka's errors */
export async function inspectTopics({ settings, admin }: TopicOperation): Promise<TopicsReport> {
  const names = { events: settings.LISTING_EVENTS_TOPIC, deadLetters: deadLetterTopic(settings) };
  const { brokers } = await admin.describeCluster();
  const offsetsRetention = await readOffsetsRetention(
    admin,
    brokers.map(({ nodeId }) => nodeId),
  );
  const [events, deadLetters] = [await readTopicState(admin, names.events), await readTopicState(admin, names.deadLetters)];
  return {
    brokers: brokers.length,
    ...(events && { events }),
    ...(deadLetters && { deadLetters }),
    findings: judgeTopics(names, events, deadLetters, offsetsRetention),
  };
}

/** Whether something is an error, or with `strict` anything at all. */
export const isUnfit = ({ findings }: TopicsReport, strict: boolean): boolean => findings.some(({ severity }) => strict || severity === 'error');
