import type { Client } from '@elastic/elasticsearch';
import {
  type ChangeEntry,
  changesEpochAlias,
  changesIndexBody,
  generationNames,
  type Item,
} from '@vitrine/feed-index';
import { type GeneratedListing, generateListing, isComplete, Random } from '@vitrine/fixtures';
import { deriveItem, EMPTY_STATE, fold } from '@vitrine/listing';
import { TODAY } from '../dataset.ts';
import type { OracleListing } from './oracle/oracle-listing.ts';
import type { AskedChange } from './question.ts';

const SEED = 21;
/** Out of this many listings, one is in Bonito (MS) and one is in Bonito (PE). */
const BONITO_EACH = 50;
const BONITO = [
  { state: 'MS', lat: -21.1267, lng: -56.4836 },
  { state: 'PE', lat: -8.4703, lng: -35.7286 },
] as const;
/** The number of listings with a recent change, and of those without one. */
const CHANGED = 100;
const UNCHANGED = 400;
const HOUR_MS = 3_600_000;

/**
 * Generates the first `count` listings of the market that have everything the feed needs: real cities and
 * categories, rentals, sales and services, and calendars of 60 to 120 dates from TODAY on. Every call returns
 * the same listings. Two of the market's cities have the same name.
 */
export function* marketListings(count: number): Generator<GeneratedListing> {
  const random = new Random(SEED);
  for (let number = 1, shown = 0; shown < count; number++) {
    const listing = generateListing(number, TODAY, random);
    if (!isComplete(listing)) continue;
    const place = BONITO[shown++ % BONITO_EACH];
    if (place) listing.fields.location = { city: 'Bonito', ...place };
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

/**
 * The last changes to the newest listings, oldest first: some had another price last week, and others had
 * another price a few hours ago.
 * @param newest newest first
 * @param now epoch milliseconds
 */
export const marketChanges = (newest: readonly OracleListing[], now: number): AskedChange[] =>
  newest.slice(0, CHANGED + UNCHANGED).map((listing, number) => ({
    listing,
    at: now - (number < UNCHANGED ? 7 * 24 : 3) * HOUR_MS,
    previousCents: listing.cents + 1_000 + number,
  }));

/** Creates the market's changes index, and writes the entries for these changes to it. */
export async function indexMarketChanges(
  elasticsearch: Client,
  prefix: string,
  changes: readonly AskedChange[],
): Promise<void> {
  const index = generationNames(prefix, 1).changes;
  await elasticsearch.indices.delete({ index, ignore_unavailable: true });
  await elasticsearch.indices.create({
    index,
    ...changesIndexBody(),
    aliases: { [changesEpochAlias(prefix, 1)]: {} },
  });
  const { errors } = await elasticsearch.bulk({
    refresh: true,
    operations: changes.flatMap((change) => [
      { index: { _index: index, _id: change.listing.id } },
      entryOf(change),
    ]),
  });
  if (errors) throw new Error('Elasticsearch rejected a change');
}

const entryOf = ({ listing: { city, state, category }, at, previousCents }: AskedChange): ChangeEntry => ({
  state: 'updated',
  at,
  times: { price: at },
  previous_price: previousCents / 100,
  city: [city, `${city}-${state}`],
  category,
});
