import type { ScanProgress } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { readCorrectedDeadLetters } from './corrected-dead-letters.ts';
import { DeadLetterCollector, type DeadLetterList, type ListOptions } from './dead-letter-collector.ts';
import { matches } from './dead-letter-filter.ts';
import { deadLetterRange } from './read-dead-letters.ts';

/**
 * Lists the dead letters, one per record, newest first.
 * @throws the signal's reason after an interruption; KafkaError; ElasticsearchClientError
 */
export async function listDeadLetters(
  context: CommandContext,
  options: ListOptions,
  onProgress?: (progress: ScanProgress) => void,
): Promise<DeadLetterList> {
  const range = await deadLetterRange(context);
  const collect = async (collector: DeadLetterCollector) => {
    await readCorrectedDeadLetters(
      context,
      range,
      (deadLetter) => matches(deadLetter, options),
      (entry, corrected) => collector.add(entry, corrected),
      onProgress,
    );
    return collector;
  };
  const first = await collect(new DeadLetterCollector(options));
  if (!first.isShort) return first.list();
  return (await collect(new DeadLetterCollector(options, first.settlements))).list();
}
