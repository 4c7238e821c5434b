import type { estypes } from '@elastic/elasticsearch';
import type { Item } from '../item.ts';

/** Members that the documents of every version hold under the same name and with the same mapping. */
export type CommonMembers = Omit<Item, 'labels' | 'title_words' | 'feed_item' | 'calendar'>;

/** The served content. It comes last in a document, where the query service finds it fastest. */
export type ServedMembers = Pick<Item, 'feed_item' | 'calendar'>;

/** Elasticsearch rejects longer terms. The feeds still serve a longer slug, but no filter matches it. */
const MAX_TERM_BYTES = 32_766;
const slug: estypes.MappingProperty = { type: 'keyword', ignore_above: MAX_TERM_BYTES };
/**
 * Elasticsearch stores this content only in `_source` and never parses it, so the content cannot cause a
 * mapping error.
 */
const unindexed: estypes.MappingProperty = { type: 'object', enabled: false };

/** The properties are keyed by the members' type, so a member without a mapping does not compile. */
export const COMMON_PROPERTIES: Record<keyof CommonMembers, estypes.MappingProperty> = {
  id: { type: 'keyword' },
  published_at: { type: 'long' },
  ad_type: { type: 'keyword' },
  city: slug,
  category: slug,
  sub_category: slug,
  point: { type: 'geo_point' },
};
export const SERVED_PROPERTIES: Record<keyof ServedMembers, estypes.MappingProperty> = {
  feed_item: unindexed,
  calendar: unindexed,
};

/** The common members of an item. */
export function commonMembers({
  labels: _,
  title_words: __,
  feed_item: ___,
  calendar: ____,
  ...common
}: Item): CommonMembers {
  return common;
}
