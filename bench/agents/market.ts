import { type GeneratedListing, generateListing, isComplete, Random } from '@vitrine/fixtures';
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
