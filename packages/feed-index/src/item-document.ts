import type { estypes } from '@elastic/elasticsearch';

/** An item of both feeds. The agent feed adds `availability`. Rule: docs/reference/rules.md#feed-item. */
export interface FeedItem {
  id: string;
  title: string;
  description?: string;
  category?: string;
  sub_category?: string;
  price: number;
  currency: 'BRL';
  location: { city: string; state?: string; country: 'BR' };
  provider?: { name: string; slug?: string };
  rating?: number;
  review_count?: number;
  images?: string[];
  url: string;
}

/** One date of an item's calendar: `date` as YYYY-MM-DD, `price` in BRL. */
export interface Availability {
  date: string;
  available: boolean;
  price: number;
}

/** The item document: indexed members for filters, order and aggregation, and the verbatim served content. */
export interface ItemDocument {
  id: string;
  /**
   * Epoch milliseconds. The feeds sort by this member in descending order, then by `id` in ascending order.
   */
  published_at: number;
  ad_type?: 'sale' | 'rent' | 'service';
  /** Slugs. */
  city?: string;
  category?: string;
  sub_category?: string;
  point?: { lat: number; lon: number };
  /** The available dates as a flat array, for the date filter. */
  open_dates: string[];
  /** The same dates with their prices as nested documents, for the aggregation by date. */
  offers: { date: string; price: number }[];
  feed_item: FeedItem;
  /** Every date of the calendar, ascending. */
  calendar: Availability[];
}

/**
 * Increment this version if documents that older code wrote are no longer valid. After an increment, a
 * rebuild is necessary.
 */
export const ITEM_MAPPING_VERSION = 1;

/** Elasticsearch rejects longer terms. The feeds still serve a longer slug, but no filter matches it. */
const MAX_TERM_BYTES = 32_766;
const slug: estypes.MappingProperty = { type: 'keyword', ignore_above: MAX_TERM_BYTES };
/**
 * Elasticsearch stores this content only in `_source` and never parses it, so the content cannot cause a
 * mapping error.
 */
const unindexed: estypes.MappingProperty = { type: 'object', enabled: false };

/** The mapping is keyed by the document's type, so a member without a mapping does not compile. */
const properties: Record<keyof ItemDocument, estypes.MappingProperty> = {
  id: { type: 'keyword' },
  published_at: { type: 'long' },
  ad_type: { type: 'keyword' },
  city: slug,
  category: slug,
  sub_category: slug,
  point: { type: 'geo_point' },
  open_dates: { type: 'keyword' },
  offers: {
    type: 'nested',
    dynamic: 'strict',
    properties: { date: { type: 'keyword' }, price: { type: 'double' } },
  },
  feed_item: unindexed,
  calendar: unindexed,
};

/** Settings and mapping of an items index. */
export function itemsIndexBody(): {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
} {
  return {
    settings: {
      number_of_shards: 1,
      auto_expand_replicas: '0-1',
      // Set explicitly, because otherwise an index stops refreshing after 30 s without a search.
      refresh_interval: '1s',
      // How long Elasticsearch remembers a deletion (see ARCHITECTURE, "The stale writer").
      gc_deletes: '15m',
      sort: { field: ['published_at', 'id'], order: ['desc', 'asc'] },
    },
    mappings: { dynamic: 'strict', _meta: { mapping_version: ITEM_MAPPING_VERSION }, properties },
  };
}
