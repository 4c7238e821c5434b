import { FILTERS } from '../filters/index.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import type { FeedContent } from './feed-response.ts';

const FIRST_PAGE = 1;

/**
 * Creates a page's `Link` header (RFC 8288). The header contains `first`, `prev`, `next` and `last`, or only
 * `first` and `next` in a cursor crawl. The targets contain the filters with current names and slugs, so
 * every spelling of a request has the same links. The targets begin with the last path segment
 * (`<service?page=2>`), because `java.net.URI` resolves a reference that consists only of a query against the
 * parent path. The links to the interface description follow, so that each cached page has all links in one
 * string.
 * @param rest the result of `linkedFilters`
 */
export function pageLinks(
  criteria: FeedCriteria,
  { page, pageCount, nextCursor }: FeedContent['meta'],
  rest = linkedFilters(criteria),
): string {
  const segment = criteria.adType ?? criteria.feed;
  /** @param position contains no character that a query must escape */
  const link = (relation: string, position: string) => `<${segment}?${position}&${rest}>; rel="${relation}"`;
  if (page === undefined)
    return [
      link('first', 'cursor=*'),
      ...(nextCursor === undefined ? [] : [link('next', `cursor=${nextCursor}`)]),
      serviceLinks(criteria),
    ].join(', ');
  // An empty result has one page. If the page is past the end, `prev` is the last page.
  const last = Math.max(pageCount, FIRST_PAGE);
  return [
    link('first', `page=${FIRST_PAGE}`),
    ...(page > FIRST_PAGE ? [link('prev', `page=${Math.min(page - 1, last)}`)] : []),
    ...(page < last ? [link('next', `page=${page + 1}`)] : []),
    link('last', `page=${last}`),
    serviceLinks(criteria),
  ].join(', ');
}

/** Returns the part of a link's query that all pages of a request share: the page size and the filters. */
export function linkedFilters(criteria: FeedCriteria): string {
  const filters = FILTERS.flatMap((filter) => entries(filter.links(criteria)));
  return new URLSearchParams([['pageSize', String(criteria.pageSize)], ...filters]).toString();
}

const entries = (parameters: Record<string, string | number | undefined>): [string, string][] =>
  Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );

/** @param folder the path from the page's folder to the base path */
const links = (folder: string): string =>
  `<${folder}openapi.json>; rel="service-desc"; type="application/json", ` +
  `<${folder}docs>; rel="service-doc"; type="text/html"`;

const OF_FEED = links('');
const OF_TYPE = links('../');

/**
 * Returns the links from a feed page to the OpenAPI document and the API reference, in the form of a Link
 * header (RFC 8631). They are relative to the page's URL. A page for one ad type is one path segment deeper.
 */
const serviceLinks = ({ adType }: Pick<FeedCriteria, 'adType'>): string =>
  adType === undefined ? OF_FEED : OF_TYPE;
