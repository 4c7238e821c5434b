import { DEMO, type DemoData, demoData, type ListingEvent, Market, Random } from '@vitrine/fixtures';
import type { KafkaClient, KafkaProducer } from '@vitrine/kafka';
import { EVENT_HEADERS } from '@vitrine/listing-events';

const BATCH = 500;

/** The demo listings, the market that changes them, and the connection that publishes both. */
export interface Demo {
  data: DemoData;
  market: Market;
  publisher: Publisher;
}

export interface DemoTarget {
  topic: string;
  /** First date of the calendars, YYYY-MM-DD. */
  today: string;
  /** Whether this process starts both engines. If so, they hold only the demo. */
  ownEngines: boolean;
  /** Origin of the listings' pages and pictures. */
  site: string;
}

/** Connects to Kafka. `opened` closes the connection. */
export async function openDemo(
  kafka: KafkaClient,
  { topic, today, ownEngines, site }: DemoTarget,
  opened: AsyncDisposableStack,
): Promise<Demo> {
  const producer = kafka.producer();
  await producer.connect();
  opened.defer(() => producer.disconnect());
  // An earlier demo may have left its listings. The versions of this demo's events must be higher.
  const firstVersion = ownEngines ? 1 : Date.now();
  const data = demoData({ ...DEMO, today, firstVersion, site });
  const market = new Market(data, today, new Random(Date.now() % 2 ** 31), firstVersion);
  return { data, market, publisher: new Publisher(producer, topic) };
}

/** Publishes events to the topic, with the listing's id as the key, and counts them. */
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
          headers: EVENT_HEADERS,
        })),
      });
      this.published += batch.length;
      onProgress();
    }
  }
}
