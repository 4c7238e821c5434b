import { Draws } from './draws.ts';
import { arrange } from './event-order.ts';
import { eventsOf } from './event-pieces.ts';
import type { DemoEvent } from './listing-event.ts';
import { type DemoListing, type GeneratorOptions, generateListings, isComplete } from './listing-generator.ts';

/** What `npm start` publishes. */
export const DEMO = { seed: 1, count: 2_000 };

export interface DemoData {
  listings: DemoListing[];
  /** In the order in which they are published. */
  events: DemoEvent[];
  /** How many of the listings the feed has in the end. */
  complete: number;
}

/** The listings and the events that tell of them; the same options give the same. Pure. */
export function demoData(options: GeneratorOptions & { firstVersion?: number }): DemoData {
  const listings = generateListings(options);
  // Draws of their own: how a listing is told changes nothing in the listings after it.
  const draws = new Draws(options.seed + 1);
  const events = arrange(
    listings.map((listing) => eventsOf(listing, draws, options.firstVersion)),
    draws,
  );
  return { listings, events, complete: listings.filter(isComplete).length };
}
