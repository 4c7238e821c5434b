import { AD_TYPE_NAMES } from '@vitrine/feed-index/ad-types';
import { Type } from 'typebox';
import { AgentFeedItem, FEED_SCHEMAS } from './feed-schema.ts';

/** The data of an item in `/changes` and `/export`. Rule: docs/reference/rules.md#changes. */
export const ChangedItem = Type.Object(
  {
    ...AgentFeedItem.properties,
    ad_type: Type.Optional(
      Type.Enum(AD_TYPE_NAMES, { type: 'string', description: 'The ad type, if it is known.' }),
    ),
    published_at: Type.String({ format: 'date-time', description: 'Time of publication, UTC.' }),
  },
  { description: 'A complete marketplace item with its whole calendar.' },
);

const changeNumber = Type.Integer({
  format: 'int64',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The change number: unique and increasing.',
});
const entryMembers = {
  kind: Type.Literal('listing'),
  id: Type.String(),
  modified: changeNumber,
  at: Type.String({
    format: 'date-time',
    description: 'Time of the last change, UTC. An extension of RPDE. `modified` determines the order.',
  }),
};

const UpdatedEntry = Type.Object(
  { state: Type.Literal('updated'), ...entryMembers, data: ChangedItem },
  { description: 'An item that was added or has changed.' },
);

const DeletedEntry = Type.Object(
  { state: Type.Literal('deleted'), ...entryMembers },
  { description: 'An item that is no longer in the feed.' },
);

/** The body of a successful response from `/changes`, in the form that RPDE 1.0 defines. */
export const ChangesResponse = Type.Object(
  {
    next: Type.String({
      format: 'uri',
      description:
        'URL of the next page. If `items` is empty, this is the URL of the page itself, and the client is up ' +
        'to date.',
    }),
    items: Type.Array(Type.Union([UpdatedEntry, DeletedEntry]), {
      description: 'The changes in ascending order of `modified`. Each id occurs at most once.',
    }),
    license: Type.String({ format: 'uri', description: 'The license of the data.' }),
  },
  { description: 'A page of changes.' },
);

/** The named schemas of the OpenAPI document. */
export const COMPONENT_SCHEMAS = {
  ...FEED_SCHEMAS,
  ChangesResponse,
  UpdatedEntry,
  DeletedEntry,
  ChangedItem,
} as const;
