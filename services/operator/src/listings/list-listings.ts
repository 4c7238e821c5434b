import type { CommandContext } from '../command-context.ts';
import { listDeadListings } from './list-dead-listings.ts';
import { listStates } from './list-states.ts';
import type { ListingsPage, ListProgress, ListQuery, PageQuery } from './listed.ts';

/**
 * The number of listings on each page of a complete list. A larger page needs fewer scans, but more memory.
 */
const LARGEST_PAGE = 50_000;

/**
 * Lists listings page by page, in ascending order of their ids.
 * @param page the requested page, or all pages after an id
 * @throws GenerationError without a readable live generation; the signal's reason after an interruption;
 * KafkaError; ElasticsearchClientError
 */
export async function* listListings(
  context: CommandContext,
  query: ListQuery,
  page: PageQuery | { all: true; after?: string },
  onProgress: (progress: ListProgress) => void,
): AsyncGenerator<ListingsPage> {
  const list = query.kind === 'dead-letters' ? listDeadListings : listStates;
  const read = (one: PageQuery) => list(context, query, one, onProgress);
  if ('all' in page) yield* allPages(read, LARGEST_PAGE, page.after);
  else yield await read(page);
}

/**
 * Reads all pages of a list, one after the other.
 * @param read reads one page
 * @param limit maximum number of listings on a page, all of which must fit in memory
 * @throws the errors from `read`
 */
export async function* allPages(
  read: (page: PageQuery) => Promise<ListingsPage>,
  limit: number,
  after?: string,
): AsyncGenerator<ListingsPage> {
  for (let from = after; ; ) {
    const page = await read({ limit, ...(from !== undefined && { after: from }) });
    yield page;
    if (page.next === undefined) return;
    from = page.next;
  }
}
