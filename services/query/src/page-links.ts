import type { FeedCriteria } from './feed-request.ts';
import type { FeedContent } from './feed-response.ts';

const FIRST_PAGE = 1;
/** A value that is not blank and has no slug: it matches nothing, as what it stands for did. */
const WITHOUT_SLUG = '-';

/**
 * The `Link` header (RFC 8288) of a page: `first`, `prev`, `next` and `last`, or `first` and `next`
 * by cursor. Its targets are references to the request's own path (`?…`) that ask for the same in
 * today's names and in slugs, so that every spelling of a request has the same links.
 */
export function pageLinks(criteria: FeedCriteria, { page, pageCount, nextCursor }: FeedContent['meta']): string {
  const filters = filterParameters(criteria);
  const link = (relation: string, position: Record<string, string | number>) =>
    `<?${new URLSearchParams(entries({ ...position, pageSize: criteria.pageSize, ...filters }))}>; rel="${relation}"`;
  if (page === undefined)
    return [link('first', { cursor: '*' }), ...(nextCursor === undefined ? [] : [link('next', { cursor: nextCursor })])].join(', ');
  // Page 1 is there, empty, also when nothing matches; past the end the way back leads to the last page.
  const last = Math.max(pageCount, FIRST_PAGE);
  return [
    link('first', { page: FIRST_PAGE }),
    ...(page > FIRST_PAGE ? [link('prev', { page: Math.min(page - 1, last) })] : []),
    ...(page < last ? [link('next', { page: page + 1 })] : []),
    link('last', { page: last }),
  ].join(', ');
}

function filterParameters({
  city,
  category,
  sub_category,
  date,
  dateTo,
  point,
  localOnly,
}: FeedCriteria): Record<string, string | number | undefined> {
  const slugs = Object.entries({ city, category, sub_category }).map(([name, slug]) => [name, slug === '' ? WITHOUT_SLUG : slug]);
  return { ...Object.fromEntries(slugs), date, date_to: dateTo, lat: point?.lat, lng: point?.lon, localOnly: localOnly && 'true' };
}

const entries = (parameters: Record<string, string | number | undefined>): [string, string][] =>
  Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]));
