import type { CommandContext } from '../command-context.ts';
import { listDeadListings } from './list-dead-listings.ts';
import { listStates } from './list-states.ts';
import type { ListingsPage, ListProgress, ListQuery, PageQuery } from './listed.ts';

/** Listings per page of a complete list. Such a page needs about 100 MB. */
const LARGEST_PAGE = 100_000;

/**
 * Lists listings page by page: the requested page, or all pages.
 * @param page undefined for all pages
 * @throws GenerationError without a readable live generation; the signal's reason after an interruption; the clients'
 * errors
 */
export async function* listListings(
  context: CommandContext,
  query: ListQuery,
  page: PageQuery | { all: true; after?: string },
  onProgress: (progress: ListProgress) => void,
): AsyncGenerator<ListingsPage> {
  const list = query.kind === 'dead-letters' ? listDeadListings : listStates;
  const limit = 'all' in page ? LARGEST_PAGE : page.limit;
  for (let { after } = page; ; ) {
    const found = await list(context, query, { limit, ...(after !== undefined && { after }) }, onProgress);
    yield found;
    if (!('all' in page) || found.next === undefined) return;
    after = found.next;
  }
}
