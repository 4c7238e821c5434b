import { setTimeout as sleep } from 'node:timers/promises';
import { readCheckpoint } from '@vitrine/projection/store';
import type { CommandContext } from '../command-context.ts';

const POLL_EVERY_MS = 100;
/** Operations are on every copy within milliseconds, unless a node has failed. */
const ON_EVERY_COPY_WITHIN_MS = 60_000;

/**
 * Returns the last sequence number of an index at the time of the call, as soon as all operations up to it
 * are on every copy. The checkpoint alone could be lower than the number of an acknowledged entry, because an
 * earlier operation may still be in progress. Returns after a minute in any case, and then logs a warning.
 * @throws ElasticsearchUnavailableError; ElasticsearchClientError; AbortError
 */
export async function lastEntry(
  { client, signal, log }: Pick<CommandContext, 'client' | 'signal' | 'log'>,
  index: string,
): Promise<number> {
  const { last } = await readCheckpoint(client, index);
  for (const deadline = Date.now() + ON_EVERY_COPY_WITHIN_MS; ; ) {
    const { checkpoint } = await readCheckpoint(client, index);
    if (checkpoint >= last) return last;
    if (Date.now() > deadline) {
      log.warn({ index, checkpoint, last }, 'some changes are not on every shard copy yet');
      return last;
    }
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
}
