import { type KafkaAdmin, MissingTopicError, rangeOf, type TopicRange } from '@vitrine/kafka';

/** The records of a topic that a check reads: all, those since a time (epoch milliseconds), or the newest. */
export type TopicPart = 'all' | { since: number } | { last: number };

/**
 * Returns the range for a part of a topic.
 * @throws MissingTopicError; KafkaError
 */
export async function rangeOfPart(admin: KafkaAdmin, topic: string, part: TopicPart): Promise<TopicRange> {
  const range = await rangeOf(admin, topic);
  if (range.length === 0 && !(await admin.listTopics()).includes(topic)) throw new MissingTopicError(topic);
  if (part === 'all') return range;
  if ('last' in part) return newest(range, part.last);
  const offsets = new Map(
    (await admin.fetchTopicOffsetsByTimestamp(topic, part.since)).map(({ partition, offset }) => [
      partition,
      BigInt(offset),
    ]),
  );
  return range
    .map(({ partition, from, to }) => {
      const first = offsets.get(partition) ?? to;
      // Kafka returns -1 if no record is that new.
      return { partition, from: first < 0n ? to : first > from ? first : from, to };
    })
    .filter(({ from, to }) => from < to);
}

/** Returns the last `count` offsets in total, spread as evenly over the partitions as possible. Pure. */
export function newest(range: TopicRange, count: number): TopicRange {
  let left = BigInt(count);
  const shortestFirst = [...range].sort((a, b) => Number(a.to - a.from - (b.to - b.from)));
  const part = shortestFirst.map(({ partition, from, to }, at) => {
    const partitions = BigInt(shortestFirst.length - at);
    const share = (left + partitions - 1n) / partitions;
    const taken = share < to - from ? share : to - from;
    left -= taken;
    return { partition, from: to - taken, to };
  });
  return part.filter(({ from, to }) => from < to).sort((a, b) => a.partition - b.partition);
}
