import { createKafka, createLog } from '@vitrine/runtime';
import kafkajs from 'kafkajs';
import { inBatches } from './batches.ts';
import { CITIES, corner, dayAfterToday } from './market.ts';

export interface LogRecord {
  key: string;
  value: string;
}

const EVENTS_A_LISTING = 5;
/** How many records lie between the pieces of a new listing: some seconds of a busy market. */
const PIECES_WITHIN = 2_000;
const CALENDAR_DAYS = 28;

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

/**
 * The log of a market: each listing comes in three pieces near to each other (its fields, its calendar, a correction), not
 * always in order, and changes twice at any time later. The same at every call.
 */
export function* marketLog(records: number): Generator<LogRecord> {
  const next = random(20_261_201);
  const listings = Math.ceil(records / EVENTS_A_LISTING);
  const places = Array.from({ length: listings * EVENTS_A_LISTING }, (_, i) => ({
    listing: Math.floor(i / EVENTS_A_LISTING),
    version: 1 + (i % 5),
    at: 0,
  }));
  let begin = 0;
  for (const place of places) {
    if (place.version === 1) begin = next() * records;
    place.at = begin + next() * (place.version <= 3 ? PIECES_WITHIN : records - begin);
  }
  places.sort((a, b) => a.at - b.at);
  for (const { listing, version } of places.slice(0, records)) yield marketEvent(listing, version);
}

function marketEvent(listing: number, version: number): LogRecord {
  if (version === 1) return snapshot(listing, version);
  if (version === 2) return event(listing, version, 'availability_changed', { mode: 'replace', dates: dates(CALENDAR_DAYS, 90 + (listing % 900)) });
  if (version === 4) return event(listing, version, 'availability_changed', { mode: 'merge', dates: dates(3, 100 + (listing % 900)) });
  return priceChange(listing, version, 80 + ((listing + version) % 900));
}

const dates = (count: number, price: number) =>
  Array.from({ length: count }, (_, day) => ({ date: dayAfterToday(day), available: (day * 7 + price) % 10 < 7, price }));

export const listingId = (listing: number): string => `listing-${listing}`;

/** The whole listing but its calendar. */
export function snapshot(listing: number, version: number): LogRecord {
  const { lat, lon } = corner(listing % CITIES);
  const fields = {
    ad_type: 'rent',
    title: `Apartamento ${listing} perto da praia`,
    description: 'Apartamento com varanda, cozinha completa e garagem. '.repeat(4),
    category: 'Entire home/apt',
    price: 80 + (listing % 900),
    location: { city: `City ${listing % CITIES}`, state: 'SC', lat: lat + 0.25, lng: lon + 0.25 },
    url: `https://example.com/catalogo/${listing}`,
    published_at: '2026-11-01T12:00:00Z',
  };
  return event(listing, version, 'snapshot', { listing: fields });
}

export const priceChange = (listing: number, version: number, price: number): LogRecord => event(listing, version, 'changed', { changes: { price } });

export const titleChange = (listing: number, version: number, title: string): LogRecord => event(listing, version, 'changed', { changes: { title } });

function event(listing: number, version: number, type: string, data: object): LogRecord {
  const id = listingId(listing);
  const head = { specversion: '1.0', id: `${id}-${version}`, source: '/bench', type: `marketplace.listing.${type}`, subject: id };
  return { key: id, value: JSON.stringify({ ...head, time: '2026-11-01T12:00:00Z', data: { version, ...data } }) };
}

export interface EventsTopic {
  publish(records: Iterable<LogRecord>): Promise<void>;
  close(): Promise<void>;
}

const PARTITIONS = 4;
const RECORDS_A_REQUEST = 2_000;

/** An events topic of its own, and a producer for it. */
export async function createEventsTopic(brokers: string, topic: string): Promise<EventsTopic> {
  const kafka = createKafka({ brokers }, createLog('bench', 'silent'));
  const admin = kafka.admin();
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS, replicationFactor: 1 }] });
  return {
    async publish(records) {
      for (const messages of inBatches(records, RECORDS_A_REQUEST)) await producer.send({ topic, messages });
    },
    async close() {
      await admin.deleteTopics({ topics: [topic] });
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}
