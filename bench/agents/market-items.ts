import type { Item } from '@vitrine/feed-index';
import type { GeneratedListing } from '@vitrine/fixtures';
import { deriveItem, EMPTY_STATE, fold } from '@vitrine/listing';
import { marketListings } from './market.ts';

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
