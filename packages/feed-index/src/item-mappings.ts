import type { estypes } from '@elastic/elasticsearch';
import { requiredSettings } from './index-settings.ts';
import type { ItemMapping } from './mapping/item-mapping.ts';
import { type ItemDocumentV1, V1 } from './mapping/v1.ts';
import { type ItemDocumentV2, V2 } from './mapping/v2.ts';
import { type ItemDocument, V3 } from './mapping/v3.ts';

/** A document of an items index, in any version that this code reads and writes. */
export type AnyItemDocument = ItemDocument | ItemDocumentV2 | ItemDocumentV1;

/** The mapping of new generations. */
export const CURRENT_ITEMS: ItemMapping<ItemDocument> = V3;

/** The version of new generations. This code also writes and serves generations of versions 1 and 2. */
export const ITEM_MAPPING_VERSION = 3;

/** By version. A caller handles the documents of one index, so they all have the form of its mapping. */
const MAPPINGS: Readonly<Record<number, ItemMapping<AnyItemDocument>>> = { 1: V1, 2: V2, 3: V3 };

/** Whether this code reads and writes items indices of this version. */
export const isItemMapping = (version: number): boolean => version in MAPPINGS;

/** The mapping of a version. @throws an Error if this code does not have it */
export function itemMapping(version: number): ItemMapping<AnyItemDocument> {
  const mapping = MAPPINGS[version];
  if (!mapping) throw new Error(`this code has no items mapping of version ${version}`);
  return mapping;
}

/** Settings and mapping of an items index. */
export function itemsIndexBody(version: number = ITEM_MAPPING_VERSION): {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
} {
  return {
    settings: { number_of_shards: 1, auto_expand_replicas: '0-1', ...requiredSettings('items') },
    mappings: {
      dynamic: 'strict',
      _meta: { mapping_version: version },
      properties: itemMapping(version).properties,
    },
  };
}
