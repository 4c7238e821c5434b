import type { estypes } from '@elastic/elasticsearch';
import { requiredSettings } from '@vitrine/feed-index';
import type { HiddenReason, ListingState } from '@vitrine/listing';

/**
 * The stored state of one listing. Incomplete and removed listings have a state too. The projector never
 * deletes a state.
 */
export interface StateDocument {
  /**
   * The reason why the listing is hidden. Indexed, so that searches can count the reasons. Absent if the
   * listing is visible.
   */
  hidden?: HiddenReason;
  state: ListingState;
}

/**
 * Increment this version if this code can no longer read the states that older code wrote. After an
 * increment, a replay is necessary.
 */
export const STATE_MAPPING_VERSION = 1;

const properties: Record<keyof StateDocument, estypes.MappingProperty> = {
  hidden: { type: 'keyword' },
  state: { type: 'object', enabled: false },
};

/**
 * Settings and mapping of a states index. Other code reads states by id or scans them, so only `hidden` is
 * searchable.
 */
export function statesIndexBody(): {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
} {
  return {
    settings: { number_of_shards: 1, auto_expand_replicas: '0-1', ...requiredSettings('states') },
    mappings: {
      dynamic: 'strict',
      _meta: { mapping_version: STATE_MAPPING_VERSION },
      properties,
    },
  };
}
