import { startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime';
import type { Deployment } from './deployment.ts';

export interface FeedPage {
  data: Record<string, unknown>[];
  meta: { page: number; pageSize: number; pageCount: number; total: number; endpoint: string; nextCursor?: string };
}

/** The query service over a deployment's index, and a crawler that behaves like a client. */
export async function startFeed(deployment: Deployment, env: Record<string, string> = {}) {
  const service = await startQueryService({ ...deployment.env, RATE_LIMIT: 'off', CACHE_BYTES: '0', ...env }, createLog('query', 'silent'));
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
        const { data, meta } = await page(`${path}?${new URLSearchParams({ pageSize: '100', ...query, page: String(number) })}`);
        items.push(...data);
        if (number >= meta.pageCount) return items;
      }
    },
  };
}

export type Feed = Awaited<ReturnType<typeof startFeed>>;
