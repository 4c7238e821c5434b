import type { ListingsPage, PageQuery } from './listed.ts';

/**
 * Reads all pages of a list, one after the other.
 * @param read reads one page
 * @param limit maximum number of listings on a page, all of which must fit in memory
 * @throws the errors of `read`
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
