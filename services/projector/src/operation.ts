import type { Kafka, Producer } from 'kafkajs';
import type { FeedSurroundings } from './generation-feed.ts';

/** What an operator's command works with: the same parts as the projector, in a process of its own. */
export interface Operation extends FeedSurroundings {
  kafka: Kafka;
  /** Connected. */
  producer: Producer;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
}
