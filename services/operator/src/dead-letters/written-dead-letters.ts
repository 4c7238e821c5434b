import type { Operation } from '../command-context.ts';
import { letterRange, readLetters } from './read-dead-letters.ts';

/**
 * Reads the dead-letter topic, so that this process does not write the same dead letters again.
 * @throws Kafka's errors
 */
export async function rememberWritten(operation: Operation): Promise<void> {
  await readLetters(operation, await letterRange(operation), (entry) => {
    if (entry.kind === 'letter') operation.deadLetters.remember({ ...entry.record, ...entry.origin });
  });
}
