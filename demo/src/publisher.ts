import type { ListingEvent } from '@vitrine/fixtures';
import type { KafkaProducer } from '@vitrine/kafka';

const BATCH = 500;

/** Publishes events to the topic, with the listing as the key, and counts them. */
export class Publisher {
  /** Number of events that Kafka has acknowledged. */
  published = 0;
  readonly #producer: KafkaProducer;
  readonly #topic: string;

  constructor(producer: KafkaProducer, topic: string) {
    this.#producer = producer;
    this.#topic = topic;
  }

  /** Resolves when Kafka has acknowledged all events. `onProgress` is called after each batch. */
  async publish(
    events: readonly ListingEvent[],
    onProgress: () => void = () => {},
    signal?: AbortSignal,
  ): Promise<void> {
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
