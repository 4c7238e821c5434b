export type FeedName = 'public-feed' | 'ai-feed';

export interface FeedOperation {
  /** The operation id in the OpenAPI document. */
  id: string;
  feed: FeedName;
  /** Whether a path segment restricts the feed to one ad type. */
  byType: boolean;
  summary: string;
}

/** The feed operations. Rule: docs/reference/rules.md#operations */
export const FEED_OPERATIONS: readonly FeedOperation[] = [
  { id: 'getPublicFeed', feed: 'public-feed', byType: false, summary: 'Page of catalog items' },
  { id: 'getPublicFeedByType', feed: 'public-feed', byType: true, summary: 'Catalog items of one ad type' },
  { id: 'getAiFeed', feed: 'ai-feed', byType: false, summary: 'Page of items with availability' },
  { id: 'getAiFeedByType', feed: 'ai-feed', byType: true, summary: 'Items with availability of one ad type' },
];

/** `info.version` of the OpenAPI document. */
export const INTERFACE_VERSION = '1.2.0';
/** The Cache-Control header for documents. They change only with a new version of the service. */
export const DOCUMENT_CACHE_CONTROL = 'public, max-age=300';
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';
/** Maximum length of a request URL. RFC 9110 §4.1 recommends at least 8000 octets. */
export const MAX_URL_BYTES = 8_192;
