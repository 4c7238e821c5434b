import { setTimeout as pass } from 'node:timers/promises';

/** What a page of either feed has that paging is about. */
export interface PagedFeed {
  data: { id: string }[];
  meta: { page?: number; pageSize: number; pageCount: number; total: number; nextCursor?: string };
}

const CRAWLERS = 4;
/** So often a crawler comes again to a service that says it is too busy: the tests and what they test may share a slow machine. */
const ATTEMPTS = 5;

/** Reads `origin`'s public feed as crawlers do. */
export function pagingCrawl(origin: string) {
  const get = async (query: string, attempts = ATTEMPTS): Promise<PagedFeed> => {
    const response = await fetch(`${origin}/api/public-feed?${query}`);
    if (response.status === 503 && attempts > 1) {
      await response.body?.cancel();
      const seconds = Number(response.headers.get('retry-after'));
      if (!(seconds > 0)) throw new Error(`${query}: 503 without Retry-After`);
      await pass(1_000 * seconds);
      return get(query, attempts - 1);
    }
    if (response.status !== 200) throw new Error(`${query}: ${response.status} ${await response.text()}`);
    return (await response.json()) as PagedFeed;
  };
  return {
    get: (query: string) => get(query),
    /** These pages by number, some at a time; their ids, page by page. */
    async pages(query: string, pageSize: number, numbers: number[]): Promise<{ ids: string[]; meta: PagedFeed['meta'] }[]> {
      const found: { ids: string[]; meta: PagedFeed['meta'] }[] = [];
      const queue = numbers.entries();
      const crawler = async () => {
        for (const [i, number] of queue) {
          const { data, meta } = await get(`${query}&pageSize=${pageSize}&page=${number}`);
          found[i] = { ids: data.map(({ id }) => id), meta };
        }
      };
      await Promise.all(Array.from({ length: CRAWLERS }, crawler));
      return found;
    },
    /** Every page by cursor; its ids in the order in which they were served. */
    async byCursor(query: string, pageSize: number): Promise<string[]> {
      const ids: string[] = [];
      for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
        const { data, meta }: PagedFeed = await get(`${query}&pageSize=${pageSize}&cursor=${cursor}`);
        ids.push(...data.map(({ id }) => id));
        cursor = meta.nextCursor;
      }
      return ids;
    },
  };
}
