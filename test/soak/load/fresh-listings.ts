import type { GeneratedListing, Random } from '@vitrine/fixtures';

type Values = Pick<GeneratedListing, 'fields' | 'calendar'>;

/** The content of an event of a fresh listing. */
export interface FreshEvent {
  readonly id: string;
  readonly version: number;
  readonly content: { readonly type: string; readonly data: object };
}

interface OpenListing {
  readonly id: string;
  version: number;
  /** Number of changes until the listing is left alone or removed. */
  changes: number;
  readonly isRemoved: boolean;
  /** The number of the record after which its next event follows. */
  due: number;
}

const REMOVED = 0.5;
const MOST_CHANGES = 3;
/** Maximum number of records between two events of a listing. */
const PAUSE = 400;
/** When this many listings stay, each further one is removed, so that the feed does not grow without end. */
const MOST_THAT_STAY = 5_000;

/**
 * Listings that get 1 to 5 events (a creation, up to three changes and, for half of the listings, a removal)
 * and are then left alone. No later event repairs them, so damage remains until the comparison.
 */
export class FreshListings {
  readonly #random: Random;
  readonly #pool: readonly Values[];
  readonly #mostThatStay: number;
  readonly #open: OpenListing[] = [];
  #created = 0;
  #staying = 0;

  constructor(random: Random, pool: readonly Values[], mostThatStay = MOST_THAT_STAY) {
    this.#random = random;
    this.#pool = pool;
    this.#mostThatStay = mostThatStay;
  }

  /** Number of listings so far. */
  get created(): number {
    return this.#created;
  }

  /** The next event of a listing that is due, or the first event of a new one. @param now the record's number */
  next(now: number): FreshEvent {
    const index = this.#open.findIndex(({ due }) => due <= now);
    const listing = this.#open[index] ?? this.#begin();
    listing.version++;
    const content = this.#content(listing);
    const isOver = listing.changes === 0 && (!listing.isRemoved || content.type === 'removed');
    if (isOver && index >= 0) this.#open.splice(index, 1);
    if (!isOver && index < 0) this.#open.push(listing);
    listing.due = now + this.#random.integer(1, PAUSE);
    return { id: listing.id, version: listing.version, content };
  }

  #begin(): OpenListing {
    const isRemoved = this.#random.chance(REMOVED) || this.#staying >= this.#mostThatStay;
    if (!isRemoved) this.#staying++;
    const id = freshId(++this.#created);
    return { id, version: 0, changes: this.#random.integer(0, MOST_CHANGES), isRemoved, due: 0 };
  }

  #content(listing: OpenListing): FreshEvent['content'] {
    const { fields, calendar } = this.#random.pick(this.#pool) as Values;
    if (listing.version === 1)
      return { type: 'snapshot', data: { listing: { ...fields, availability: calendar } } };
    if (listing.changes === 0) return { type: 'removed', data: { reason: 'retirado' } };
    listing.changes--;
    const [name, value] = this.#random.pick(Object.entries(fields)) ?? ['price', 1];
    return { type: 'changed', data: { changes: { [name]: value } } };
  }
}

/** @param number from 1 */
export const freshId = (number: number): string => `fresh-${String(number).padStart(6, '0')}`;
