import { DEMO, type DemoData, demoData, Market, Random } from '@vitrine/fixtures';
import type { KafkaClient } from '@vitrine/kafka';
import { Publisher } from './publisher.ts';

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
  /** Whether this process starts both engines, so they hold only the demo. */
  ownEngines: boolean;
}

/** Connects to Kafka. `opened` disconnects. */
export async function openDemo(
  kafka: KafkaClient,
  { topic, today, ownEngines }: DemoTarget,
  opened: AsyncDisposableStack,
): Promise<Demo> {
  const producer = kafka.producer();
  await producer.connect();
  opened.defer(() => producer.disconnect());
  // An earlier demo may have left its listings. The versions of this demo's events must be higher.
  const firstVersion = ownEngines ? 1 : Date.now();
  const data = demoData({ ...DEMO, today, firstVersion });
  const market = new Market(data, today, new Random(Date.now() % 2 ** 31), firstVersion);
  return { data, market, publisher: new Publisher(producer, topic) };
}
