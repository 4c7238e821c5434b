import { requiredSettings } from '@vitrine/feed-index';
import type { NewIndex } from './create-index.ts';

/**
 * The settings and the mapping of an index with one document. Elasticsearch does not index the document's
 * only member.
 */
export const documentIndexBody = (member: string): Pick<NewIndex, 'kind' | 'settings' | 'mappings'> => ({
  kind: 'document',
  settings: { number_of_shards: 1, auto_expand_replicas: '0-1', ...requiredSettings('document') },
  mappings: {
    dynamic: 'strict',
    properties: { [member]: { type: 'object', enabled: false } },
  },
});
