import { AD_TYPE_NAMES } from '@vitrine/feed-index/ad-types';
import schema from './listing-event.schema.json' with { type: 'json' };

const { listingFields } = schema.$defs;

/** The JSON Schema of the events: the file beside this one, and the ad types of their table. */
export const LISTING_EVENT_SCHEMA = {
  ...schema,
  $defs: {
    ...schema.$defs,
    listingFields: {
      ...listingFields,
      properties: { ...listingFields.properties, ad_type: { enum: [...AD_TYPE_NAMES, null] } },
    },
  },
};
