/**
 * Publishes what the outbox of outbox.sql contains. It may be killed and started again at any time, because it
 * deletes rows only after Kafka has stored their events, and repeats events with higher versions:
 * DATABASE_URL=postgresql://user@localhost/market KAFKA_BROKERS=localhost:9092 node relay.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { compatibilityPartitioner, Producer, stringSerializers } from '@platformatic/kafka';
import pg from 'pg';

interface Batch {
  /** Null if the outbox is empty, or if another relay is at work. */
  numbers: string[] | null;
  keys: string[];
  events: string[];
}

const TOPIC = process.env.LISTING_EVENTS_TOPIC ?? 'marketplace.listing-events';
const BROKERS = (process.env.KAFKA_BROKERS ?? 'localhost:9092').split(',');
const PAUSE_MS = 500;
const AGAIN_MS = 5_000;
const ROWS = 500;
/** A request has at most this many bytes per partition, because the topic limits them. */
const REQUEST_BYTES = 900_000;

type RelayProducer = Producer<string, string, string, string>;

async function relay(database: pg.Client, producer: RelayProducer): Promise<void> {
  const { rows } = await database.query<Batch>('SELECT * FROM listing_events($1)', [ROWS]);
  const { numbers, keys, events } = rows[0] as Batch;
  if (numbers === null) return sleep(PAUSE_MS);
  let messages: { topic: string; key: string; value: string }[] = [];
  let bytes = 0;
  for (const [index, value] of events.entries()) {
    bytes += Buffer.byteLength(value);
    if (bytes > REQUEST_BYTES && messages.length > 0) {
      await producer.send({ messages });
      [messages, bytes] = [[], Buffer.byteLength(value)];
    }
    messages.push({ topic: TOPIC, key: keys[index] as string, value });
  }
  if (messages.length > 0) await producer.send({ messages });
  await database.query('DELETE FROM outbox WHERE number = ANY($1)', [numbers]);
  console.log(`published ${events.length} events`);
}

for (;;) {
  const database = new pg.Client({ connectionString: process.env.DATABASE_URL, keepAlive: true });
  // Without a listener, a lost connection would end the process. The next query reports it.
  database.on('error', () => undefined);
  // An idempotent producer waits for all replicas (acks=all). The Java client uses the same partitioner.
  const producer = new Producer({
    clientId: 'listing-relay',
    bootstrapBrokers: BROKERS,
    idempotent: true,
    retries: 10,
    serializers: stringSerializers,
    partitioner: compatibilityPartitioner,
  });
  try {
    await database.connect();
    for (;;) await relay(database, producer);
  } catch (error) {
    console.error(`${error}. The relay starts over in ${AGAIN_MS / 1_000} seconds.`);
    await Promise.allSettled([database.end(), producer.close()]);
    await sleep(AGAIN_MS);
  }
}
