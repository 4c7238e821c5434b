import type { Operation } from '../command-context.ts';
import { LetterCollector, type LetterList, type ListOptions } from './dead-letter-collector.ts';
import { type LetterProgress, letterRange, readLetters } from './read-dead-letters.ts';

/**
 * Lists the dead letters, one per record, newest first.
 * @throws the signal's reason when the operator interrupts; Kafka's errors
 */
export async function listDeadLetters(
  operation: Operation,
  options: ListOptions,
  onProgress?: (progress: LetterProgress) => void,
): Promise<LetterList> {
  const range = await letterRange(operation);
  const first = new LetterCollector(options);
  await readLetters(operation, range, (entry) => first.add(entry), onProgress);
  if (!first.isShort) return first.list();
  const second = new LetterCollector(options, first.retried);
  await readLetters(operation, range, (entry) => second.add(entry), onProgress);
  return second.list();
}
