import { CITIES, cityCorner, dayAfterToday } from './dataset.ts';
import type { LogRecord } from './listing-events.ts';

const CALENDAR_DAYS = 40;
const OPEN_OF_TEN = 7;
/** More than a calendar has dates, so that each date has its own price. */
const MANY_PRICES = 300;

/**
 * One snapshot per listing, with a calendar of 40 dates of which 28 are open. Further events change title and
 * price and are far apart in the log.
 */
export function* rebuildEvents(listings: number, eventsPerListing: number): Generator<LogRecord> {
  for (let version = 1; version <= eventsPerListing; version++)
    for (let listing = 0; listing < listings; listing++) yield event(listing, version);
}

function event(listing: number, version: number): LogRecord {
  const id = `listing-${(listing * 7_919) % 10_000_019}`;
  const time = new Date(Date.parse('2026-12-01T00:00:00Z') - listing * 1_000).toISOString();
  const head = { specversion: '1.0', id: `${id}-${version}`, source: '/bench', subject: id, time };
  const { type, data } =
    version === 1
      ? { type: 'snapshot', data: { listing: snapshot(id, listing) } }
      : {
          type: 'changed',
          data: {
            changes: {
              price: 80 + ((listing + version) % 900),
              title: `Apartamento ${listing} perto da praia, ${version}`,
            },
          },
        };
  return {
    key: id,
    value: JSON.stringify({ ...head, type: `marketplace.listing.${type}`, data: { version, ...data } }),
  };
}

function snapshot(id: string, listing: number): object {
  const { lat, lon } = cityCorner(listing % CITIES);
  return {
    title: `Apartamento ${listing} perto da praia`,
    description: 'Apartamento com varanda, cozinha completa e garagem. '.repeat(4),
    ad_type: 'rent',
    category: 'Entire home/apt',
    price: 80 + (listing % 900),
    location: { city: `City ${listing % CITIES}`, state: 'SC', lat: lat + 0.25, lng: lon + 0.25 },
    url: `https://example.com/catalogo/${id}`,
    availability: Array.from({ length: CALENDAR_DAYS }, (_, day) => ({
      date: dayAfterToday(day),
      available: (day + listing) % 10 < OPEN_OF_TEN,
      price: 100 + ((day * 7 + listing) % MANY_PRICES),
    })),
  };
}
