import type { FieldChanges } from '@vitrine/listing-events';
import type { DemoData } from './demo-data.ts';
import type { Draws } from './draws.ts';
import { eventsOf } from './event-pieces.ts';
import { type DemoEvent, listingEvent, type Piece } from './listing-event.ts';
import { type DemoListing, generateListing, isComplete } from './listing-generator.ts';

/** Something that happens to a listing, and how to say it in a line. */
export interface Change {
  events: DemoEvent[];
  summary: string;
}

interface Stall {
  listing: DemoListing;
  /** Of the listing's last event. */
  version: number;
}

/** The listings as they are after every change so far: what the trickle is made of. Pure, but for its own state. */
export class Market {
  readonly #stalls: Stall[];
  readonly #today: string;
  readonly #draws: Draws;
  readonly #firstVersion: number;

  /** @param firstVersion of listings that are new */
  constructor({ listings, events }: DemoData, today: string, draws: Draws, firstVersion = 1) {
    const versions = new Map<string, number>();
    for (const { subject, data } of events) versions.set(subject, Math.max(versions.get(subject) ?? 0, data.version));
    this.#stalls = listings.map((listing) => ({ listing: copy(listing), version: versions.get(listing.id) ?? 0 }));
    this.#today = today;
    this.#draws = draws;
    this.#firstVersion = firstVersion;
  }

  /** How many listings the feed has once every change has arrived. */
  get complete(): number {
    return this.#stalls.filter(({ listing }) => isComplete(listing)).length;
  }

  /** How many it does not have. */
  get hidden(): number {
    return this.#stalls.length - this.complete;
  }

  /** The next thing that happens. @param now becomes the time of its events */
  next(now: Date): Change {
    const roll = this.#draws.fraction();
    if (roll < 0.1) return this.#open(now);
    const flawed = this.#draws.pick(this.#stalls.filter(({ listing }) => listing.flaw !== undefined && !listing.removed));
    if (roll < 0.2 && flawed) return this.#complete(flawed, now);
    const shown = this.#stalls.filter(({ listing }) => isComplete(listing));
    const stall = this.#draws.pick(shown);
    if (!stall) return this.#open(now);
    if (roll < 0.27) return this.#remove(stall, now);
    if (roll < 0.55 && stall.listing.calendar.length > 0) return this.#book(stall, now);
    return this.#reprice(stall, now);
  }

  #open(now: Date): Change {
    const listing = { ...generateListing(this.#stalls.length + 1, this.#today, this.#draws), flaw: undefined, removed: false };
    listing.fields.published_at = now.toISOString();
    const events = eventsOf(listing, this.#draws, this.#firstVersion).map((event) => ({ ...event, time: now.toISOString() }));
    this.#stalls.push({ listing, version: this.#firstVersion + events.length - 1 });
    return { events, summary: `new: ${listing.id}` };
  }

  #complete(stall: Stall, now: Date): Change {
    const { id, flaw, fields } = stall.listing;
    stall.listing.flaw = undefined;
    const changes: FieldChanges = flaw ? { [flaw]: fields[flaw] } : {};
    return { events: [this.#say(stall, now, { type: 'changed', data: { changes } })], summary: `${flaw} of ${id} came in: complete now` };
  }

  #remove(stall: Stall, now: Date): Change {
    stall.listing.removed = true;
    return {
      events: [this.#say(stall, now, { type: 'removed', data: { reason: 'retirado pelo anunciante' } })],
      summary: `${stall.listing.id} removed`,
    };
  }

  #reprice(stall: Stall, now: Date): Change {
    const { id, fields } = stall.listing;
    const before = fields.price;
    const moved = Math.round(before * (0.9 + this.#draws.fraction() * 0.2));
    fields.price = Math.max(1, moved === before ? moved + 1 : moved);
    const piece: Piece = { type: 'changed', data: { changes: { price: fields.price } } };
    return { events: [this.#say(stall, now, piece)], summary: `price of ${id} R$ ${before} -> ${fields.price}` };
  }

  #book(stall: Stall, now: Date): Change {
    const { id, calendar } = stall.listing;
    const begin = this.#draws.integer(0, calendar.length - 1);
    const days = calendar.slice(begin, begin + this.#draws.integer(1, 4));
    const available = !days[0]?.available;
    for (const day of days) day.available = available;
    const piece: Piece = { type: 'availability_changed', data: { mode: 'merge', dates: days.map((day) => ({ ...day })) } };
    return {
      events: [this.#say(stall, now, piece)],
      summary: `${id} ${available ? 'free again' : 'taken'} from ${days[0]?.date} for ${days.length} d`,
    };
  }

  #say(stall: Stall, now: Date, piece: Piece): DemoEvent {
    stall.version++;
    return listingEvent(stall.listing.id, stall.version, now, piece);
  }
}

const copy = (listing: DemoListing): DemoListing => ({
  ...listing,
  fields: { ...listing.fields },
  calendar: listing.calendar.map((day) => ({ ...day })),
});
