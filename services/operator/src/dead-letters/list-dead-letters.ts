import type { ScanProgress } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { DeadLetterCollector, type DeadLetterList, type ListOptions } from './dead-letter-collector.ts';
import { deadLetterRange, readDeadLetters } from './read-dead-letters.ts';

/**
 * Lists the dead letters, one per record, newest first.
 * @throws the signal's reason after an interruption; Kafka's errors
 */
export async function listDeadLetters(
  context: CommandContext,
  options: ListOptions,
  onProgress?: (progress: ScanProgress) => void,
): Promise<DeadLetterList> {
  const range = await deadLetterRange(context);
  const first = new DeadLetterCollector(options);
  await readDeadLetters(context, range, (entry) => first.add(entry), onProgress);
  if (!first.isShort) return first.list();
  const second = new DeadLetterCollector(options, first.retried);
  await readDeadLetters(context, range, (entry) => second.add(entry), onProgress);
  return second.list();
}
