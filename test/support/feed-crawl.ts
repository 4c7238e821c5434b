import { setTimeout as pass } from 'node:timers/promises';
import { startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime/log';
import type { Deployment } from './deployment.ts';

export interface FeedPage {
  data: Record<string, unknown>[];
  meta: {
    page: number;
    pageSize: number;
    pageCount: number;
    total: number;
    endpoint: string;
    nextCursor?: string;
  };
}

/** The query service over a deployment's index, and a crawler that behaves like a client. */
export async function startFeed(deployment: Deployment, env: Record<string, string> = {}) {
  const service = await startQueryService(
    { ...deployment.env, RATE_LIMIT: 'off', CACHE_BYTES: '0', ...env },
    createLog('query', 'silent'),
  );
  const base = `http://127.0.0.1:${service.port}/api`;
  const page = async (target: string): Promise<FeedPage> => {
    const response = await fetch(`${base}${target}`);
    if (response.status !== 200) throw new Error(`${target}: ${response.status} ${await response.text()}`);
    return (await response.json()) as FeedPage;
  };
  return {
    stop: () => service.stop(),
    page,
    /** Every item under `path` and `query`, page by page. */
    crawl: async (path: string, query: Record<string, string> = {}): Promise<Record<string, unknown>[]> => {
      const items: Record<string, unknown>[] = [];
      for (let number = 1; ; number++) {
        const { data, meta } = await page(
          `${path}?${new URLSearchParams({ pageSize: '100', ...query, page: String(number) })}`,
        );
        items.push(...data);
        if (number >= meta.pageCount) return items;
      }
    },
  };
}

export type Feed = Awaited<ReturnType<typeof startFeed>>;

/** The members of a page that matter for paging. */
export interface PagedFeed {
  data: { id: string }[];
  meta: { page?: number; pageSize: number; pageCount: number; total: number; nextCursor?: string };
}

const CRAWLERS = 4;
/** Attempts of a crawler after 503. Tests and service may share a slow machine. */
const ATTEMPTS = 5;

/** Reads the public feed of `origin` like a crawler. */
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
    /** Reads these pages by number, some of them concurrently. @returns their ids, page by page */
    async pages(
      query: string,
      pageSize: number,
      numbers: number[],
    ): Promise<{ ids: string[]; meta: PagedFeed['meta'] }[]> {
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
    /** Reads every page by cursor. @returns the ids in the served order */
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
