import { listingEvent, Random, recordOf } from '@vitrine/fixtures';
import { CITIES, cityCorner, datasetId, dayAfterToday, SEED } from './dataset.ts';

export interface LogRecord {
  key: string;
  value: string | Buffer;
}

const EVENTS_PER_LISTING = 5;
/**
 * A listing's first three events are within this number of records. A busy marketplace produces this number
 * in some seconds.
 */
const FIRST_EVENTS_WITHIN = 2_000;
const CALENDAR_DAYS = 28;
const TIME = '2026-11-01T12:00:00Z';

const NEWEST = Date.parse('2026-12-01T00:00:00Z');
const REBUILD_DAYS = 40;
const OPEN_OF_TEN = 7;
/** There are more prices than a calendar has dates, so that each date has its own price. */
const MANY_PRICES = 300;

/**
 * A marketplace's events. A listing's first three events (fields, calendar, correction) are near each other
 * and not always in order. Two changes follow at any later time. Every call returns the same events.
 */
export function* listingEvents(records: number): Generator<LogRecord> {
  const random = new Random(SEED);
  const listings = Math.ceil(records / EVENTS_PER_LISTING);
  const places = Array.from({ length: listings * EVENTS_PER_LISTING }, (_, i) => ({
    listing: Math.floor(i / EVENTS_PER_LISTING),
    version: 1 + (i % 5),
    at: 0,
  }));
  let begin = 0;
  for (const place of places) {
    if (place.version === 1) begin = random.fraction() * records;
    place.at = begin + random.fraction() * (place.version <= 3 ? FIRST_EVENTS_WITHIN : records - begin);
  }
  places.sort((a, b) => a.at - b.at);
  for (const { listing, version } of places.slice(0, records)) yield marketEvent(listing, version);
}

function marketEvent(listing: number, version: number): LogRecord {
  if (version === 1) return snapshot(listing, version);
  if (version === 2)
    return event(listing, version, 'availability_changed', {
      mode: 'replace',
      dates: dates(CALENDAR_DAYS, 90 + (listing % 900)),
    });
  if (version === 4)
    return event(listing, version, 'availability_changed', {
      mode: 'merge',
      dates: dates(3, 100 + (listing % 900)),
    });
  return priceChange(listing, version, 80 + ((listing + version) % 900));
}

const dates = (count: number, price: number) =>
  Array.from({ length: count }, (_, day) => ({
    date: dayAfterToday(day),
    available: (day * 7 + price) % 10 < 7,
    price,
  }));

export const listingId = (listing: number): string => `listing-${listing}`;

/** All fields of a listing except its calendar. */
export const snapshot = (listing: number, version: number): LogRecord =>
  event(listing, version, 'snapshot', { listing: fieldsOf(listing) });

/** The fields of a listing. */
export function fieldsOf(listing: number) {
  const { lat, lon } = cityCorner(listing % CITIES);
  return {
    ad_type: 'rent',
    title: `Apartamento ${listing} perto da praia`,
    description: 'Apartamento com varanda, cozinha completa e garagem. '.repeat(4),
    category: 'Entire home/apt',
    price: 80 + (listing % 900),
    location: { city: `City ${listing % CITIES}`, state: 'SC', lat: lat + 0.25, lng: lon + 0.25 },
    url: `https://example.com/catalogo/${listing}`,
    published_at: TIME,
  };
}

export const priceChange = (listing: number, version: number, price: number): LogRecord =>
  event(listing, version, 'changed', { changes: { price } });

export const titleChange = (listing: number, version: number, title: string): LogRecord =>
  event(listing, version, 'changed', { changes: { title } });

const event = (listing: number, version: number, type: string, data: object): LogRecord =>
  recordOf(listingEvent(listingId(listing), version, TIME, { type, data }));

/**
 * One snapshot per listing, with a calendar of 40 dates of which 28 are open. Further events change the title
 * and the price, and are far apart in the log.
 */
export function* rebuildEvents(listings: number, eventsPerListing: number): Generator<LogRecord> {
  for (let version = 1; version <= eventsPerListing; version++)
    for (let listing = 0; listing < listings; listing++) yield rebuildEvent(listing, version);
}

function rebuildEvent(listing: number, version: number): LogRecord {
  const id = datasetId(listing);
  const time = new Date(NEWEST - listing * 1_000);
  const { published_at: _, ...fields } = fieldsOf(listing);
  const availability = Array.from({ length: REBUILD_DAYS }, (_, day) => ({
    date: dayAfterToday(day),
    available: (day + listing) % 10 < OPEN_OF_TEN,
    price: 100 + ((day * 7 + listing) % MANY_PRICES),
  }));
  const changes = { price: fields.price + version, title: `${fields.title}, ${version}` };
  const content =
    version === 1
      ? { type: 'snapshot', data: { listing: { ...fields, availability } } }
      : { type: 'changed', data: { changes } };
  return recordOf(listingEvent(id, version, time, content));
}
