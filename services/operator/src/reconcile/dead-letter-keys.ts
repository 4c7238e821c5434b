import type { ScanProgress } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { deadLetterRange, readDeadLetters } from '../dead-letters/read-dead-letters.ts';
import { SortedRecords } from './files/sorted-records.ts';

const KEYS_PER_BATCH = 1_000;

/**
 * Reads the listing ids of all dead letters into sorted files.
 * @throws the signal's reason after an interruption; Kafka's errors; file system errors
 */
export async function readDeadLetterKeys(
  context: CommandContext,
  folder: string,
  onProgress: (progress: ScanProgress) => void,
): Promise<SortedRecords<[id: string]>> {
  const sorted = new SortedRecords<[id: string]>(folder, 'dead-letters');
  const range = await deadLetterRange(context);
  let batch: [id: string][] = [];
  await readDeadLetters(
    context,
    range,
    async (entry) => {
      if (entry.kind !== 'dead-letter' || entry.key === null) return;
      batch.push([entry.key]);
      if (batch.length < KEYS_PER_BATCH) return;
      await sorted.add(batch);
      batch = [];
    },
    onProgress,
  );
  await sorted.add(batch);
  return sorted;
}
