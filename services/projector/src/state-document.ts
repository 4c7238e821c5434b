import type { estypes } from '@elastic/elasticsearch';
import type { HiddenReason } from './feed-item.ts';
import type { ListingState } from './listing-state.ts';

/** The truth of one listing, also while it is incomplete or removed; never deleted. */
export interface StateDocument {
  /** Why it is in no feed; absent while it is. Countable. */
  hidden?: HiddenReason;
  state: ListingState;
}

/** Raised when states written by older code can no longer be read; a replay is then needed. */
export const STATE_MAPPING_VERSION = 1;

const properties: Record<keyof StateDocument, estypes.MappingProperty> = {
  hidden: { type: 'keyword' },
  state: { type: 'object', enabled: false },
};

/** Settings and mapping of a states index: read by id, and scanned; searched by nothing but `hidden`. */
export function statesIndexBody(): { settings: estypes.IndicesIndexSettings; mappings: estypes.MappingTypeMapping } {
  return {
    settings: { number_of_shards: 1, auto_expand_replicas: '0-1', refresh_interval: '5s' },
    mappings: { dynamic: 'strict', _meta: { mapping_version: STATE_MAPPING_VERSION }, properties },
  };
}
