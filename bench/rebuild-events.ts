import { listingEvent, recordOf } from '@vitrine/fixtures';
import { datasetId, dayAfterToday } from './dataset.ts';
import { fieldsOf, type LogRecord } from './listing-events.ts';

const NEWEST = Date.parse('2026-12-01T00:00:00Z');
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
  const id = datasetId(listing);
  const time = new Date(NEWEST - listing * 1_000);
  const { published_at: _, ...fields } = fieldsOf(listing);
  const availability = Array.from({ length: CALENDAR_DAYS }, (_, day) => ({
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
