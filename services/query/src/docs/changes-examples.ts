import type { Static } from 'typebox';
import type { ChangedItem, ChangesResponse } from '../contract/changes-schema.ts';
import type { AgentFeedItem } from '../contract/feed-schema.ts';
import { changesUrl } from '../response/changes-response.ts';
import { EXAMPLE_ITEMS, EXAMPLE_TODAY } from './openapi-examples.ts';

/** The absolute URL of the base path in the examples. */
export const EXAMPLE_BASE = 'https://www.example.com/api';
const LICENSE = 'https://creativecommons.org/licenses/by/4.0/';
/** The first change number of the first epoch. */
const FIRST = 2 ** 40;

const published_at = `${EXAMPLE_TODAY}T00:00:00.000Z`;
const [newest, studio] = EXAMPLE_ITEMS as [AgentFeedItem, AgentFeedItem];
/** Only the newest item was published at this time. */
const apartment: Static<typeof ChangedItem> = { ...newest, ad_type: 'rent', published_at };

export const EXAMPLE_ENTRY_TIME = Date.parse(`${EXAMPLE_TODAY}T09:30:00Z`);
const at = new Date(EXAMPLE_ENTRY_TIME).toISOString();

/** The entries of the examples, in the order of their change numbers. The last listing has left the feed. */
export const EXAMPLE_ENTRIES = [
  [studio.id, 'updated'],
  [apartment.id, 'updated'],
  ['lst-77', 'deleted'],
] as const;

export interface ChangesExample {
  name: string;
  summary: string;
  /** Path and query, relative to the base path. */
  path: string;
  value: Static<typeof ChangesResponse>;
}

/** Requests for changes with their responses. A test sends each request to the service. */
export const CHANGES_EXAMPLES: ChangesExample[] = [
  {
    name: 'changesAfterOne',
    summary: 'An item that has changed, and one that has left the feed',
    path: `/changes?afterChangeNumber=${FIRST}`,
    value: {
      next: changesUrl(EXAMPLE_BASE, FIRST + 2),
      items: [
        { state: 'updated', kind: 'listing', id: apartment.id, modified: FIRST + 1, at, data: apartment },
        { state: 'deleted', kind: 'listing', id: 'lst-77', modified: FIRST + 2, at },
      ],
      license: LICENSE,
    },
  },
  {
    name: 'noChanges',
    summary: 'The client is up to date: the page leads to itself',
    path: `/changes?afterChangeNumber=${FIRST + 2}`,
    value: { next: changesUrl(EXAMPLE_BASE, FIRST + 2), items: [], license: LICENSE },
  },
];

export const EXPORT_EXAMPLE = { name: 'exportedItem', summary: 'One line of the export', value: apartment };
