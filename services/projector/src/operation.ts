import type { Kafka, Producer } from 'kafkajs';
import type { DeadLetter } from './dead-letter.ts';
import type { FeedSurroundings } from './generation-feed.ts';

/** What an operator's command works with: the same parts as the projector, in a process of its own. */
export interface Operation extends FeedSurroundings {
  kafka: Kafka;
  /** Connected. */
  producer: Producer;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
}

/**
 * Writes dead letters that this process has not written yet, and logs them.
 * @throws DeadLetterTopicError when Kafka does not take one
 */
export async function sendLogged({ deadLetters, metrics, log }: Operation, letters: readonly DeadLetter[]): Promise<void> {
  for (const { record, reason, detail } of await deadLetters.send(letters)) {
    metrics.deadLetters.inc({ reason });
    log.warn({ reason, detail, listing: String(record.key) }, 'dead letter');
  }
}
