import type { ScanProgress } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { readPendingKeys } from '../records/pending-records.ts';
import { SortedRecords } from './files/sorted-records.ts';

/**
 * Writes the ids of the listings whose events wait in the topic for a generation to sorted files.
 * @param name the prefix of the file names. No other files in the folder have this prefix
 * @throws the signal's reason after an interruption; Kafka's errors; ElasticsearchClientError; file system
 * errors
 */
export async function readPendingListings(
  context: CommandContext,
  number: number,
  { folder, name }: { folder: string; name: string },
  onProgress?: (progress: ScanProgress) => void,
): Promise<SortedRecords<[id: string]>> {
  const sorted = new SortedRecords<[id: string]>(folder, name);
  await readPendingKeys(context, number, (id) => sorted.add([[id]]), onProgress);
  return sorted;
}
