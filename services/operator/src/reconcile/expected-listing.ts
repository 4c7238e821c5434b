import type { Item } from '@vitrine/feed-index';
import { deriveSafely, EMPTY_STATE, fold, type HiddenReason, isBuiltIn, type Rules } from '@vitrine/listing';
import { composeEvent, decodeRecord, EVENT_HEADERS } from '@vitrine/listing-events';
import { listingOf, missingForSnapshot, type SourceLine } from './source/source-line.ts';

/**
 * What the rules make of a line. `item` is the item in which the line's members can be compared. `hidden`
 * means that the values in the line hide the listing. If both are present, a rules module hides the complete
 * listing `item`. `refused` means that no event with these values would be accepted. An empty result means
 * that the line names no member.
 */
export type Expected =
  | { item: Item; hidden?: never; refused?: never }
  | { hidden: HiddenReason; item?: Item; refused?: never }
  | { refused: string; item?: never; hidden?: never }
  | { item?: never; hidden?: never; refused?: never };

/** Values for the members that a listing needs in order not to be hidden, but that a line need not name. */
export interface Unnamed {
  title: string;
  price: number;
  city: string;
  url: string;
}

/** No date has this price, so it never equals the price of a date. */
const UNNAMED: Unnamed = {
  title: 'x',
  price: 999_999_999_999.99,
  city: 'x',
  url: 'https://vitrine.invalid/',
};

/** The event that carries the members of a line. Its version is 1, and its time has no meaning. */
const eventOf = (id: string, listing: object) =>
  composeEvent({
    id: 'reconcile',
    source: 'reconcile',
    type: 'snapshot',
    listingId: id,
    time: '2000-01-01T00:00:00Z',
    version: 1,
    data: { listing },
  });

/**
 * Passes the values of a line through the rules for events: decoding, fold and derivation. Pure.
 * @param unnamed values for the members that the line does not name, so that their absence does not hide the
 * listing
 */
export function expectedListing(
  { id, members }: Pick<SourceLine, 'id' | 'members'>,
  rules: Rules,
  unnamed: Unnamed = UNNAMED,
): Expected {
  if (Object.keys(members).length === 0) return {};
  const { city, ...others } = unnamed;
  const named = listingOf({ members });
  // The line may name parts of the location, but not the city.
  const location = Object.hasOwn(members, 'location')
    ? named.location
    : { city, ...(named.location as object | undefined) };
  const listing = { ...others, ...named, location };
  const value = Buffer.from(JSON.stringify(eventOf(id, listing)));
  const decoded = decodeRecord({ key: Buffer.from(id), value, headers: EVENT_HEADERS });
  if (decoded.outcome !== 'event')
    return { refused: decoded.outcome === 'refused' ? decoded.detail : 'its event has an unknown type' };
  const state = fold(EMPTY_STATE, [decoded.event]);
  const { item, hidden, failure } = deriveSafely(rules, id, state);
  if (failure !== undefined) return { refused: failure };
  if (item) return { item };
  if (isBuiltIn(hidden)) return { hidden };
  const complete = rules.complete?.(id, state).item;
  // A module can hide a listing because of any member, even one that the line does not name.
  const explains = missingForSnapshot({ members }).length === 0;
  return { ...(explains && { hidden }), ...(complete && { item: complete }) };
}
