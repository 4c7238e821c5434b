import type { estypes } from '@elastic/elasticsearch';
import type { HiddenReason, ListingState } from '@vitrine/listing';

/**
 * The stored state of one listing. It exists for incomplete and removed listings too, and is never deleted.
 */
export interface StateDocument {
  /**
   * The reason why the listing is hidden. Indexed, so that it can be counted. Absent if the listing is
   * visible.
   */
  hidden?: HiddenReason;
  state: ListingState;
}

/** Increment this if states written by older code can no longer be read. A replay is then required. */
export const STATE_MAPPING_VERSION = 1;

const properties: Record<keyof StateDocument, estypes.MappingProperty> = {
  hidden: { type: 'keyword' },
  state: { type: 'object', enabled: false },
};

/** Settings and mapping of a states index. States are read by id and scanned. Only `hidden` is searchable. */
export function statesIndexBody(): {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
} {
  return {
    settings: { number_of_shards: 1, auto_expand_replicas: '0-1', refresh_interval: '5s' },
    mappings: { dynamic: 'strict', _meta: { mapping_version: STATE_MAPPING_VERSION }, properties },
  };
}
