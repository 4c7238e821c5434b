import { ChangedItem, ChangesResponse, DeletedEntry, UpdatedEntry } from './changes-schema.ts';
import { FEED_SCHEMAS } from './feed-schema.ts';

/** The named schemas of the OpenAPI document. */
export const COMPONENT_SCHEMAS = {
  ...FEED_SCHEMAS,
  ChangesResponse,
  UpdatedEntry,
  DeletedEntry,
  ChangedItem,
} as const;
