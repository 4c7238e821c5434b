import { type KafkaAdmin, readOffsets } from '@vitrine/kafka';
import { groupOf } from './generation-consumer.ts';

/**
 * Finds the highest number that is in use or whose group has commits for the topic. A prune deletes its
 * generation's group, so numbers may be missing. Kafka's list of groups lacks the groups whose coordinator is
 * unavailable, so the function also asks for the commits of the next numbers. This request fails while a
 * coordinator is unavailable.
 * @param after the highest known number, or 0
 * @throws KafkaError
 */
export async function lastGroupNumber(
  admin: KafkaAdmin,
  consumerGroup: string,
  topic: string,
  after: number,
): Promise<number> {
  const hasCommits = async (number: number) =>
    (await readOffsets(admin, groupOf(consumerGroup, number), topic)).some(
      ({ committed, staleId }) => (committed ?? staleId) !== undefined,
    );
  const groups = new Set(await admin.listGroups());
  const listed = [...groups]
    .map((groupId) => Number(groupId.slice(groupId.lastIndexOf('-') + 1)))
    .filter((number) => groups.has(groupOf(consumerGroup, number)));
  return highestWithCommits(listed, after, hasCommits);
}

/**
 * Returns the highest number with commits, but at least `after`.
 * @param listed numbers that may have commits, in any order. Numbers that follow without a gap may also have
 * commits
 */
export async function highestWithCommits(
  listed: readonly number[],
  after: number,
  hasCommits: (number: number) => Promise<boolean>,
): Promise<number> {
  let last = after;
  for (const number of listed.filter((one) => one > after).sort((a, b) => b - a))
    if (last === after && (await hasCommits(number))) last = number;
  while (await hasCommits(last + 1)) last++;
  return last;
}
