import type { CommandContext } from '../command-context.ts';
import { deadLetterRange, readDeadLetters } from './read-dead-letters.ts';

/**
 * Reads the dead-letter topic, so that this process does not write the same dead letters again.
 * @throws Kafka's errors
 */
export async function rememberWritten(context: CommandContext): Promise<void> {
  await readDeadLetters(context, await deadLetterRange(context), (entry) => {
    if (entry.kind === 'letter') context.deadLetters.remember({ ...entry.record, ...entry.origin });
  });
}
