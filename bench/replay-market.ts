import kafkajs, { type Kafka, type Message } from 'kafkajs';

const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-12-01T00:00:00Z');
const CALENDAR_DAYS = 40;
const OPEN_OF_TEN = 7;
const BATCH = 500;
const PARTITIONS = 4;

/** Listings with a calendar of 40 dates, 28 of them open, each in one snapshot or told in several events; events of a listing lie far apart. */
export function* eventsOf(listings: number, eventsEach: number): Generator<Message> {
  for (let version = 1; version <= eventsEach; version++) for (let listing = 0; listing < listings; listing++) yield event(listing, version);
}

function event(listing: number, version: number): Message {
  const id = `listing-${(listing * 7_919) % 10_000_019}`;
  const head = { specversion: '1.0', id: `${id}-${version}`, source: '/bench', subject: id, time: new Date(FIRST - listing * 1_000).toISOString() };
  const { type, data } =
    version === 1
      ? { type: 'snapshot', data: { listing: snapshot(id, listing) } }
      : {
          type: 'changed',
          data: { changes: { price: 80 + ((listing + version) % 900), title: `Apartamento ${listing} perto da praia, ${version}` } },
        };
  return { key: id, value: JSON.stringify({ ...head, type: `marketplace.listing.${type}`, data: { version, ...data } }) };
}

function snapshot(id: string, listing: number): object {
  return {
    title: `Apartamento ${listing} perto da praia`,
    description: 'Apartamento com varanda, cozinha completa e garagem. '.repeat(4),
    ad_type: 'rent',
    category: 'temporada',
    price: 80 + (listing % 900),
    location: { city: `City ${listing % 40}`, state: 'SC', lat: -20 - (listing % 100) / 100, lng: -45 },
    url: `https://example.com/catalogo/${id}`,
    availability: Array.from({ length: CALENDAR_DAYS }, (_, day) => ({
      date: new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10),
      available: (day + listing) % 10 < OPEN_OF_TEN,
      price: 100 + ((day * 7 + listing) % 300),
    })),
  };
}

/** Creates the topic and writes all events to it. */
export async function publishAll(kafka: Kafka, topic: string, events: Iterable<Message>): Promise<void> {
  const admin = kafka.admin();
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS }] });
  let batch: Message[] = [];
  for (const message of events) {
    batch.push(message);
    if (batch.length < BATCH) continue;
    await producer.send({ topic, messages: batch });
    batch = [];
  }
  if (batch.length > 0) await producer.send({ topic, messages: batch });
  await Promise.all([admin.disconnect(), producer.disconnect()]);
}
