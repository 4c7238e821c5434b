import type { GenerationRecord } from '@vitrine/feed-index';
import { describeOtherTopic } from '@vitrine/kafka';

/**
 * Explains why a generation cannot continue with the events topic. Returns undefined if it can. Pure.
 * @param topicId the id of the topic, or undefined if the topic does not exist
 */
export function topicTrouble(
  topic: string,
  topicId: string | undefined,
  { topic_id }: Pick<GenerationRecord, 'topic_id'>,
): string | undefined {
  if (topicId === undefined) return `the topic ${topic} does not exist`;
  if (topic_id === undefined || topic_id === topicId) return undefined;
  return (
    `${describeOtherTopic(topic, topic_id, topicId)}. The offsets of the old topic do not count: see ` +
    '"A recreated topic" in the runbook'
  );
}
