import type { FeedCriteria } from '../request/criteria.ts';

/** @param folder the path from the page's folder to the base path */
const links = (folder: string): string =>
  `<${folder}openapi.json>; rel="service-desc"; type="application/json", ` +
  `<${folder}docs>; rel="service-doc"; type="text/html"`;

const OF_FEED = links('');
const OF_TYPE = links('../');

/**
 * Returns the links from a feed page to the OpenAPI document and the API reference, in the form of a Link header
 * (RFC 8631). They are relative to the page's URL. A page of one ad type is one path segment deeper.
 */
export const serviceLinks = ({ adType }: Pick<FeedCriteria, 'adType'>): string =>
  adType === undefined ? OF_FEED : OF_TYPE;
