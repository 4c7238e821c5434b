import type { CommandContext } from '../command-context.ts';
import { deadLetterRange, readDeadLetters } from './read-dead-letters.ts';

/**
 * Remembers the dead letters in the topic, so that this process does not write them again.
 * @throws Kafka's errors
 */
export async function rememberWritten(context: CommandContext): Promise<void> {
  await readDeadLetters(context, await deadLetterRange(context), (entry) => {
    if (entry.kind === 'dead-letter') context.deadLetters.remember({ ...entry.record, ...entry.origin });
  });
}
