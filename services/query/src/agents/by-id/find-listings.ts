import { BudgetExceeded } from '../../budget/request-budget.ts';
import { identifier, joined, say } from '../answer-text.ts';
import { MAX_IDS } from '../argument-schemas.ts';
import type { Listing, ListingSource } from '../listing-source.ts';
import { BadArguments } from '../tool-arguments.ts';

/** The event schema does not permit longer ids. */
const MAX_CHARACTERS = 200;

/** No listing has any of the given ids. */
export class UnknownListing extends Error {
  constructor(ids: readonly string[]) {
    const named = joined(ids.map(identifier), ', ');
    super(
      ids.length === 1
        ? `No listing has the id ${named}. Ids come from search_listings. The listing may have been removed.`
        : say`No listing has any of the ids ${named}. Ids come from search_listings. The listings may have been removed.`,
    );
    this.name = 'UnknownListing';
  }
}

/** The listings of one call, in the order of the ids. */
export interface FoundListings {
  listings: Listing[];
  /** Whether the call requested only one listing. */
  isOne: boolean;
  /** The ids that no listing has. */
  unknown: string[];
  /** The ids for which the request's budget left no room. Their listings may exist. */
  unread: string[];
}

/**
 * Reads the listings with these ids.
 * @param id one id, several ids, or ids separated by commas. No id contains a comma
 * @param dates the dates of the calendars, as for `ListingSource.byIds`
 * @throws BadArguments, UnknownListing if no listing has any of these ids, BudgetExceeded; the errors of
 * ListingSource
 */
export async function findListings(
  source: ListingSource,
  id: string | readonly string[],
  dates: readonly [first: string, last: string],
  signal: AbortSignal,
): Promise<FoundListings> {
  const ids = idsOf(id);
  const { found, unread } = await source.byIds(ids, dates, signal);
  const listings = ids.flatMap((one) => found.get(one) ?? []);
  if (listings.length === 0 && unread.size > 0) throw new BudgetExceeded('foundBytes');
  if (listings.length === 0) throw new UnknownListing(ids);
  return {
    listings,
    isOne: ids.length === 1,
    unknown: ids.filter((one) => !found.has(one) && !unread.has(one)),
    unread: ids.filter((one) => unread.has(one)),
  };
}

/** @throws BadArguments */
function idsOf(id: string | readonly string[]): string[] {
  const given = [id].flat().flatMap((text) => text.split(',').map((one) => one.trim()));
  const ids = [...new Set(given)].filter((one) => one !== '');
  const detail = faultOf(ids);
  if (detail !== undefined) throw new BadArguments([{ argument: 'id', detail }]);
  return ids;
}

function faultOf(ids: readonly string[]): string | undefined {
  if (ids.length === 0) return 'must contain an id';
  if (ids.length > MAX_IDS) return `must contain at most ${MAX_IDS} ids`;
  const isLong = ids.some(({ length }) => length > MAX_CHARACTERS);
  return isLong ? `must contain ids of at most ${MAX_CHARACTERS} characters` : undefined;
}
