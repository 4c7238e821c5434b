import type { Producer } from 'kafkajs';
import type { DemoEvent } from './listing-event.ts';

const BATCH = 500;

/** Puts events on the topic, keyed by listing, and counts them. */
export class Publisher {
  /** Events that Kafka has taken. */
  published = 0;
  readonly #producer: Producer;
  readonly #topic: string;

  constructor(producer: Producer, topic: string) {
    this.#producer = producer;
    this.#topic = topic;
  }

  /** Resolves when Kafka has them all; `onProgress` is told after each batch. */
  async publish(events: readonly DemoEvent[], onProgress: () => void = () => {}, signal?: AbortSignal): Promise<void> {
    for (let begin = 0; begin < events.length; begin += BATCH) {
      signal?.throwIfAborted();
      const batch = events.slice(begin, begin + BATCH);
      await this.#producer.send({
        topic: this.#topic,
        messages: batch.map((event) => ({
          key: event.subject,
          value: JSON.stringify(event),
          headers: { 'content-type': 'application/cloudevents+json; charset=UTF-8' },
        })),
      });
      this.published += batch.length;
      onProgress();
    }
  }
}
