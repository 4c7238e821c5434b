import {
  addDays,
  type EventRecord,
  type GeneratedListing,
  generateListings,
  listingEvent,
  Random,
  recordOf,
  TODAY,
} from '@vitrine/fixtures';
import { type FreshEvent, FreshListings, freshId } from './fresh-listings.ts';

export interface MarketOptions {
  readonly seed: number;
  /** Listings that change, disappear and return. */
  readonly restless: number;
  /** Listings that never change after their first event. */
  readonly steady: number;
}

const BEGIN = Date.UTC(2026, 0, 1);
/** The share of the events that go to fresh listings, which get only a few events. */
const FRESH = 0.03;
const POISON = 0.01;
const UNKNOWN = 0.005;
const DUPLICATED = 0.05;
const LATE = 0.1;
/** Maximum number of records that overtake a late record, and from which duplicates are drawn. */
const MEMORY = 2_000;
const CALENDAR_DAYS = 6;
/** Number of generated listings from which the events take their values. */
const POOL = 400;

/**
 * A market that never ends: partial, duplicated, late and unordered events, removals, listings that return,
 * tombstones, events of unknown types and invalid records. A small share creates fresh listings, which are
 * soon left alone. Its records depend on the options only.
 */
export class MarketSource {
  readonly #random: Random;
  readonly #options: MarketOptions;
  readonly #versions: number[];
  readonly #pool: readonly Pick<GeneratedListing, 'fields' | 'calendar'>[];
  readonly #fresh: FreshListings;
  readonly #recent: EventRecord[] = [];
  /** Late records, each with the number of the record that it follows. */
  #late: { record: EventRecord; after: number }[] = [];
  #count = 0;

  constructor(options: MarketOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#pool = generateListings({ seed: options.seed, count: POOL, today: TODAY }).map(
      ({ fields, calendar }) => ({ fields, calendar: calendar.slice(0, CALENDAR_DAYS) }),
    );
    this.#fresh = new FreshListings(this.#random, this.#pool);
    this.#versions = Array.from({ length: options.restless }, () => 0);
  }

  /** The ids of the steady listings. */
  get steadyIds(): string[] {
    return Array.from({ length: this.#options.steady }, (_, i) => steadyId(i));
  }

  /** The ids of all listings so far, and of this number of listings that may follow. */
  ids(following: number): string[] {
    const restless = Array.from({ length: this.#options.restless }, (_, i) => restlessId(i));
    const fresh = Array.from({ length: this.#fresh.created + following }, (_, i) => freshId(i + 1));
    return [...this.steadyIds, ...restless, ...fresh];
  }

  /** The only event of each steady listing. All steady listings are complete. */
  steadyRecords(): EventRecord[] {
    return Array.from({ length: this.#options.steady }, (_, i) => {
      const { fields, calendar } = this.#values(i);
      const listing = { ...fields, availability: calendar };
      return recordOf(listingEvent(steadyId(i), 1, new Date(BEGIN), { type: 'snapshot', data: { listing } }));
    });
  }

  /** The next records of the market. */
  next(count: number): EventRecord[] {
    return Array.from({ length: count }, () => this.#nextRecord());
  }

  /** The late records that have not been returned. */
  rest(): EventRecord[] {
    const records = this.#late.map(({ record }) => record);
    this.#late = [];
    return records;
  }

  #nextRecord(): EventRecord {
    this.#count++;
    const due = this.#late.findIndex(({ after }) => after <= this.#count);
    if (due >= 0) return this.#late.splice(due, 1)[0]?.record as EventRecord;
    if (this.#recent.length > 0 && this.#random.chance(DUPLICATED))
      return this.#random.pick(this.#recent) as EventRecord;
    const record = this.#create();
    if (this.#random.chance(LATE)) {
      this.#late.push({ record, after: this.#count + this.#random.integer(1, MEMORY) });
      return this.#nextRecord();
    }
    this.#recent.push(record);
    if (this.#recent.length > MEMORY) this.#recent.shift();
    return record;
  }

  #create(): EventRecord {
    const time = new Date(BEGIN + this.#count * 1_000);
    if (this.#random.chance(FRESH)) {
      const { id, version, content } = this.#fresh.next(this.#count);
      return this.#recordOf(id, version, time, content);
    }
    const number = this.#random.integer(0, this.#options.restless - 1);
    const id = restlessId(number);
    if (this.#random.chance(POISON)) return poisonRecord(id, this.#count, this.#random);
    const version = (this.#versions[number] ?? 0) + 1;
    this.#versions[number] = version;
    if (this.#random.chance(UNKNOWN))
      return recordOf(listingEvent(id, version, time, { type: 'viewed', data: {} }));
    return this.#recordOf(id, version, time, this.#content());
  }

  /** An event as a record: some removals are tombstones, and some events are in binary mode. */
  #recordOf(id: string, version: number, time: Date, content: FreshEvent['content']): EventRecord {
    if (content.type === 'removed' && this.#random.chance(0.3))
      return { key: id, value: null, headers: { version: String(version) } };
    const record = recordOf(listingEvent(id, version, time, content));
    return this.#random.chance(0.1) ? inBinaryMode(record) : record;
  }

  #values(number: number): Pick<GeneratedListing, 'fields' | 'calendar'> {
    return this.#pool[number % POOL] as Pick<GeneratedListing, 'fields' | 'calendar'>;
  }

  #content(): { type: string; data: object } {
    const random = this.#random;
    const roll = random.fraction();
    const { fields, calendar } = this.#values(random.integer(0, POOL - 1));
    if (roll < 0.3) {
      const availability = random.chance(0.5) && { availability: calendar };
      const missing = random.chance(0.15) && { [random.pick(['title', 'price', 'url', 'location'])]: null };
      return { type: 'snapshot', data: { listing: { ...fields, ...missing, ...availability } } };
    }
    if (roll < 0.62) {
      const [name, value] = random.pick(Object.entries(fields)) ?? ['price', 1];
      return { type: 'changed', data: { changes: { [name]: value } } };
    }
    if (roll < 0.68)
      return {
        type: 'changed',
        data: { changes: { [random.pick(['title', 'price', 'url', 'rating'])]: null } },
      };
    if (roll < 0.88) {
      const dates = Array.from({ length: random.integer(0, 4) }, () => ({
        date: addDays(TODAY, random.integer(0, 40)),
        available: random.chance(0.7),
        price: random.pick([null, 80, 120.25]),
      }));
      return {
        type: 'availability_changed',
        data: { mode: random.pick(['merge', 'merge', 'replace']), dates },
      };
    }
    return { type: 'removed', data: { reason: 'retirado' } };
  }
}

const restlessId = (number: number): string => `restless-${String(number).padStart(5, '0')}`;
const steadyId = (number: number): string => `steady-${String(number).padStart(5, '0')}`;

/** The attributes become headers, and the data becomes the value. */
function inBinaryMode({ key, value }: { key: string; value: string }): EventRecord {
  const { data, datacontenttype, ...attributes } = JSON.parse(value) as Record<string, unknown>;
  const headers: Record<string, string> = { 'content-type': String(datacontenttype) };
  for (const [name, text] of Object.entries(attributes)) headers[`ce_${name}`] = String(text);
  return { key, value: JSON.stringify(data), headers };
}

const LONG_TEXT = 1_100_000;
const LONG = 0.01;

/** A record that must become a dead letter with exactly these bytes. @param number makes its bytes unique */
function poisonRecord(id: string, number: number, random: Random): EventRecord {
  const event = listingEvent(id, number, '2026-01-01T00:00:00Z', { type: 'changed', data: { changes: {} } });
  if (random.chance(LONG)) return { key: id, value: `"${number}${'x'.repeat(LONG_TEXT)}"` };
  return random.pick<EventRecord>([
    { key: id, value: `{"number":${number}` },
    { key: id, value: `[${number}]` },
    { key: id, value: Buffer.from([0xff, 0xfe, 0x00, number & 0xff, (number >> 8) & 0xff]) },
    { key: null, value: JSON.stringify(event) },
    { key: `not-${id}`, value: JSON.stringify(event) },
    { key: Buffer.from([0xc3, 0x28, number & 0xff]), value: Buffer.alloc(0) },
    { key: id, value: null },
    { key: id, value: JSON.stringify({ ...event, time: 'yesterday' }) },
    recordOf({ ...event, data: { ...event.data, version: -number } }),
  ]);
}
