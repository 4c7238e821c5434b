import { GenerationError, type Registry } from '@vitrine/feed-index';
import type { KafkaProducer } from '@vitrine/kafka';
import type { DeadLetter } from '@vitrine/projection/dead-letters';
import { type ProjectorContext, readRegistry } from '@vitrine/projection/generations';

/**
 * The context of an operator command. It has the same parts as the projector's context, but in a separate
 * process.
 */
export interface CommandContext extends ProjectorContext {
  /** A connected producer. */
  producer: KafkaProducer;
  /** Aborts when the operator interrupts the command. */
  signal: AbortSignal;
  /** Whether the dead letters are those of the ingest, whose records are not events. */
  deadLettersOfIngest?: boolean;
}

/**
 * Writes dead letters that this process has not written yet, and logs them.
 * @throws DeadLetterTopicError if Kafka rejects one
 */
export async function sendAndLogDeadLetters(
  context: CommandContext,
  deadLetters: readonly DeadLetter[],
): Promise<void> {
  for (const { record, reason, detail } of await context.deadLetters.send(deadLetters)) {
    context.metrics.deadLetters.inc({ reason });
    context.log.warn({ reason, detail, listing: String(record.key) }, 'dead letter');
  }
}

/** The registry of the generations. @throws GenerationError if no projector has created it yet */
export async function readExistingRegistry({ client, settings }: CommandContext): Promise<Registry> {
  const registry = await readRegistry(client, settings.INDEX_PREFIX);
  if (!registry)
    throw new GenerationError(
      `the prefix ${settings.INDEX_PREFIX} has no generation yet. Start a projector first`,
    );
  return registry;
}
