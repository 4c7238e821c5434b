import type { Offsets } from '@vitrine/feed-index';
import type { PartitionOffsets } from '@vitrine/kafka';

/**
 * The ways in which a group can begin to read. `resume`: it reads from its commits. `first start`: it reads
 * from the position that START_OFFSET names. `read again`: it reads from the beginning of the log, which
 * still holds every record that the group may not have read. `refuse`: it does not start, because it could
 * skip records of a partition for which it has no commit.
 */
export type StartDecision = 'resume' | 'first start' | 'read again' | 'refuse';

/**
 * The time at which the group of a generation first read the topic, and the start of the log at that time.
 * See `GenerationRecord.first_start`.
 */
export type FirstStart = { at: string; low: Offsets } | null | undefined;

/**
 * Decides how a group begins to read. A group loses its commits if it has no members for
 * `offsets.retention.minutes`, or if the topic is deleted. Commits for an earlier topic with the same name do
 * not count. Without a record of the first start, START_OFFSET=latest would then skip records. Pure. Rule:
 * docs/decisions/0035-first-start.md
 * @param offsets one entry per partition of the topic
 */
export function decideStart(
  startOffset: 'earliest' | 'latest',
  firstStart: FirstStart,
  offsets: readonly PartitionOffsets[],
): StartDecision {
  const isRecreated = offsets.some(({ staleId }) => staleId !== undefined);
  const unread = uncommitted(offsets);
  if (!isRecreated && unread.length < offsets.length)
    return firstStart && deletedSince(firstStart, unread).length > 0 ? 'refuse' : 'resume';
  if (!isRecreated && firstStart === null) return 'first start';
  // A log that never held a record holds all records.
  if (!isRecreated && offsets.every(({ end }) => end === 0n)) return 'read again';
  if (startOffset === 'latest') return 'refuse';
  return deletedSince(isRecreated ? undefined : firstStart, offsets).length === 0 ? 'read again' : 'refuse';
}

/**
 * Returns the partitions for which the group has committed nothing. In each of them, Kafka would begin at the
 * start of the log.
 */
export const uncommitted = (offsets: readonly PartitionOffsets[]): PartitionOffsets[] =>
  offsets.filter(({ committed }) => committed === undefined);

/**
 * Finds the partitions that no longer hold all records since the first start. If the first start is unknown,
 * the log must be complete.
 */
export const deletedSince = (
  firstStart: FirstStart,
  offsets: readonly PartitionOffsets[],
): PartitionOffsets[] =>
  offsets.filter(({ partition, low }) => low > BigInt(firstStart?.low[partition] ?? 0));
