import type { estypes } from '@elastic/elasticsearch';
import { requiredSettings } from './index-settings.ts';
import type { ItemMapping } from './item-document.ts';
import { ITEMS_3 } from './item-mapping-3.ts';
import { CURRENT_ITEMS } from './item-mapping-4.ts';

/** The version of new generations. */
export const ITEM_MAPPING_VERSION = CURRENT_ITEMS.version;

/**
 * The mappings of the generations that this code writes and serves. A release with a new mapping also keeps
 * the previous one here, for the upgrade (docs/operate/upgrading.md). A caller handles the documents of one
 * index, so all these documents have the form of the index's mapping. Only tests change the list.
 */
export const ITEM_MAPPINGS: ItemMapping[] = [CURRENT_ITEMS, ITEMS_3];

/** Whether this code reads and writes items indices of this version. */
export const isItemMapping = (version: number): boolean =>
  ITEM_MAPPINGS.some((one) => one.version === version);

/** The mapping of a version. @throws an Error if this code does not have it */
export function itemMapping(version: number): ItemMapping {
  const mapping = ITEM_MAPPINGS.find((one) => one.version === version);
  if (!mapping) throw new Error(`this code does not know version ${version} of the items mapping`);
  return mapping;
}

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
