import type { estypes } from '@elastic/elasticsearch';
import { type Item, type Offer, offersOf } from '../item.ts';
import type { ItemMapping } from './item-mapping.ts';
import {
  COMMON_PROPERTIES,
  type CommonMembers,
  commonMembers,
  SERVED_PROPERTIES,
  type ServedMembers,
} from './properties.ts';

/**
 * An item document of version 1: one nested document per available date. Generations that earlier releases
 * built have this form (docs/operate/upgrading.md).
 */
export interface ItemDocumentV1 extends CommonMembers, ServedMembers {
  open_dates: string[];
  offers: Offer[];
}

const properties: Record<keyof ItemDocumentV1, estypes.MappingProperty> = {
  ...COMMON_PROPERTIES,
  open_dates: { type: 'keyword' },
  offers: {
    type: 'nested',
    dynamic: 'strict',
    properties: { date: { type: 'keyword' }, price: { type: 'double' } },
  },
  ...SERVED_PROPERTIES,
};

export const V1: ItemMapping<ItemDocumentV1> = {
  version: 1,
  properties,
  documentOf(item: Item): ItemDocumentV1 {
    const offers = offersOf(item);
    return {
      ...commonMembers(item),
      open_dates: offers.map(({ date }) => date),
      offers,
      feed_item: item.feed_item,
      calendar: item.calendar,
    };
  },
  contentOf: ({ open_dates: _, ...content }) => content,
};
