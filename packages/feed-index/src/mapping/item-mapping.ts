import type { estypes } from '@elastic/elasticsearch';
import type { Item, Offer } from '../item.ts';
import type { CommonMembers, ServedMembers } from './properties.ts';

/** The content that the documents of all versions have in common, with one offer per date. */
export interface ItemContent extends CommonMembers, ServedMembers {
  /** Ascending by date. */
  offers: Offer[];
}

/** The form of item documents in one version of the items index. All functions are pure. */
export interface ItemMapping<Document> {
  version: number;
  properties: Record<string, estypes.MappingProperty>;
  documentOf(item: Item): Document;
  /** For comparisons of documents of different versions. */
  contentOf(document: Document): ItemContent;
}
