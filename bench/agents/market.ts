import type { Item } from '@vitrine/feed-index';
import { type GeneratedListing, generateListing, isComplete, Random } from '@vitrine/fixtures';
import { deriveItem, EMPTY_STATE, fold } from '@vitrine/listing';
import { TODAY } from '../dataset.ts';

const SEED = 21;

/**
 * Generates the first `count` listings of the market that have everything the feed needs: real cities and
 * categories, rentals, sales and services, and calendars of 60 to 120 dates from TODAY on. Every call returns
 * the same listings.
 */
export function* marketListings(count: number): Generator<GeneratedListing> {
  const random = new Random(SEED);
  for (let number = 1, shown = 0; shown < count; number++) {
    const listing = generateListing(number, TODAY, random);
    if (!isComplete(listing)) continue;
    shown++;
    yield listing;
  }
}

/** Generates the items of the market's first `count` listings, as the projector would derive them. */
export function* marketItems(count: number): Generator<Item> {
  for (const listing of marketListings(count)) yield itemOf(listing);
}

/** @throws if the rules hide the listing */
function itemOf({ id, fields, calendar }: GeneratedListing): Item {
  const state = fold(EMPTY_STATE, [
    { kind: 'snapshot', id, version: 1, time: Date.parse(fields.published_at), fields, dates: calendar },
  ]);
  const { item, hidden } = deriveItem(id, state);
  if (!item) throw new Error(`${id} is hidden: ${hidden}`);
  return item;
}
