import type { estypes } from '@elastic/elasticsearch';
import { type Item, offersOf } from './item.ts';
import type { IndexedField, ItemDocument, ItemMapping, NewIn4 } from './item-document.ts';
import { ITEMS_3, slug } from './item-mapping-3.ts';
import { knownDays, packNights } from './packed-nights.ts';
import { stateValueOf } from './states.ts';

/** The fields that mapping 3 does not have. */
const added: Record<NewIn4, estypes.MappingProperty> = {
  state: slug,
  rating: { type: 'double' },
  lowest_night: { type: 'double' },
  highest_night: { type: 'double' },
  nights: { type: 'binary', doc_values: true },
  known_days: { type: 'integer_range', doc_values: false },
};

const properties: Record<IndexedField, estypes.MappingProperty> = { ...ITEMS_3.properties, ...added };

/** The mapping of new generations (docs/decisions/0117-items-mapping-4.md). */
export const CURRENT_ITEMS: ItemMapping = {
  version: 4,
  properties,
  documentOf(item) {
    const { feed_item, calendar, ...document } = ITEMS_3.documentOf(item);
    return { ...document, ...stayMembers(item), feed_item, calendar };
  },
  contentOf: ({
    state: _,
    rating: __,
    lowest_night: ___,
    highest_night: ____,
    nights: _____,
    known_days: ______,
    ...document
  }) => ITEMS_3.contentOf(document),
};

/** Derives the members that mapping 3 does not have from the item. */
function stayMembers(item: Item): Pick<ItemDocument, NewIn4> {
  const { location, rating } = item.feed_item;
  const state = location.state === undefined ? undefined : stateValueOf(location.state);
  const nights = packNights(item.calendar);
  const prices = offersOf(item).map(({ price }) => price);
  return {
    ...(state !== undefined && { state }),
    ...(rating !== undefined && { rating }),
    ...(prices.length > 0 && { lowest_night: Math.min(...prices), highest_night: Math.max(...prices) }),
    ...(nights !== undefined && { nights, known_days: knownDays(item.calendar) }),
  };
}
