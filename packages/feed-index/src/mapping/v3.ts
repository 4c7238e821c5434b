import type { estypes } from '@elastic/elasticsearch';
import type { Item } from '../item.ts';
import type { ItemMapping } from './item-mapping.ts';
import { type IndexedField as IndexedFieldV2, type ItemDocumentV2, V2 } from './v2.ts';

/** An item document of version 3: version 2 with the words of the title (docs/decisions/0058-title-words.md). */
export interface ItemDocument extends ItemDocumentV2 {
  title_words: string[];
}

/** The top-level fields of the index. */
export type IndexedField = IndexedFieldV2 | 'title_words';

const properties: Record<IndexedField, estypes.MappingProperty> = {
  ...(V2.properties as Record<IndexedFieldV2, estypes.MappingProperty>),
  title_words: { type: 'keyword', doc_values: false },
};

export const V3: ItemMapping<ItemDocument> = {
  version: 3,
  properties,
  documentOf(item: Item): ItemDocument {
    const { feed_item, calendar, ...indexed } = V2.documentOf(item);
    return { ...indexed, title_words: item.title_words, feed_item, calendar };
  },
  contentOf: ({ title_words: _, ...document }) => V2.contentOf(document),
};
