import { setTimeout as sleep } from 'node:timers/promises';
import { startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime/log';
import type { Deployment } from './deployment.ts';
import { fetchAccepted } from './fetch-accepted.ts';
import { becomesReady, PATIENT } from './query-service.ts';
import { addressesOf, eventually, type ServiceProcess, startService } from './service-process.ts';

/** The members of a feed page that tests read. */
export interface FeedPage {
  data: (Record<string, unknown> & { id: string })[];
  meta: {
    page?: number;
    pageSize: number;
    pageCount: number;
    total: number;
    endpoint: string;
    nextCursor?: string;
  };
}

/** The query service on a deployment's index, and a crawler that behaves like a client. */
export async function startFeed(deployment: Deployment, env: Record<string, string> = {}) {
  const service = await startQueryService(
    { ...deployment.env, RATE_LIMIT: 'off', CACHE_BYTES: '0', ...env },
    createLog('query', 'silent'),
    PATIENT,
  );
  const base = `http://127.0.0.1:${service.port}/api`;
  const page = async (target: string): Promise<FeedPage> => {
    const response = await fetchAccepted(`${base}${target}`);
    if (response.status === 200) return (await response.json()) as FeedPage;
    throw new Error(`${target}: ${response.status} ${await response.text()}`);
  };
  return {
    /** Absolute URL of the base path. */
    base,
    stop: () => service.stop(),
    page,
    /** Reads every item for `path` and `query`, page by page. */
    crawl: async (path: string, query: Record<string, string> = {}): Promise<FeedPage['data']> => {
      const items: FeedPage['data'] = [];
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

const CRAWLERS = 4;
/** Number of attempts after 503 responses, because the tests may slow down the service's machine. */
const ATTEMPTS = 5;

/** Reads the public feed of `origin` like a crawler. */
export function pagingCrawl(origin: string) {
  const get = async (query: string): Promise<FeedPage> => {
    const response = await fetchAccepted(`${origin}/api/public-feed?${query}`, { attempts: ATTEMPTS });
    if (response.status !== 200) throw new Error(`${query}: ${response.status} ${await response.text()}`);
    return (await response.json()) as FeedPage;
  };
  return {
    get,
    /**
     * Reads these numbered pages, some of them concurrently. @returns the ids of their items, page by page
     */
    async pages(
      query: string,
      pageSize: number,
      numbers: number[],
    ): Promise<{ ids: string[]; meta: FeedPage['meta'] }[]> {
      const found: { ids: string[]; meta: FeedPage['meta'] }[] = [];
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
    /** Reads every cursor page. @returns the item ids in the served order */
    async byCursor(query: string, pageSize: number): Promise<string[]> {
      const ids: string[] = [];
      for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
        const { data, meta }: FeedPage = await get(`${query}&pageSize=${pageSize}&cursor=${cursor}`);
        ids.push(...data.map(({ id }) => id));
        cursor = meta.nextCursor;
      }
      return ids;
    },
  };
}

/** The results of the readers since the last `note`. Times are in milliseconds. */
export interface ClientStats {
  pages: number;
  /** Number of 503 responses, and the time from the note to the last of these responses. */
  refused: number;
  refusedUntil: number;
  /** Number of the 503 responses that a service sent because it was busy. */
  overloaded: number;
  /** Number of connections that ended with a killed process. */
  cut: number;
  /** A reader's longest wait for a page, over all attempts. */
  longestWait: number;
}

interface Served {
  process: ServiceProcess;
  origin: string;
  killed: boolean;
  /** Number of requests without a complete response. */
  open: number;
}

const AGAIN_AFTER_MS = 100;

/**
 * Starts `count` query services as processes, and clients that use the services in turn, as behind a load
 * balancer. After a lost connection, a client uses the next service. After 503, it retries.
 */
export async function startBalancedFeed(count: number, env: Record<string, string>, root?: string) {
  const start = async (ofRoot?: string): Promise<Served> => {
    const process = startService('query', { ...env, LOG_LEVEL: 'info' }, [], ofRoot);
    const { origin, admin } = await addressesOf(process);
    await becomesReady(admin);
    return { process, origin, killed: false, open: 0 };
  };
  const services = await Promise.all(Array.from({ length: count }, () => start(root)));
  let turn = 0;
  let notedAt = performance.now();
  let felt: ClientStats = { pages: 0, refused: 0, refusedUntil: 0, overloaded: 0, cut: 0, longestWait: 0 };

  /**
   * One response, or undefined if the client must retry.
   * @throws on any status but 200 and 503, and if a running process does not respond
   */
  const attempt = async (target: string): Promise<FeedPage | undefined> => {
    const service = services[turn++ % services.length] as Served;
    service.open++;
    try {
      const response = await fetch(`${service.origin}/api${target}`);
      const text = await response.text();
      if (response.status === 200) return JSON.parse(text) as FeedPage;
      if (response.status !== 503) throw new Error(`${target}: ${response.status} ${text}`);
      felt.refused++;
      if (text.includes('Too many requests at the same time')) felt.overloaded++;
      felt.refusedUntil = performance.now() - notedAt;
      await sleep(AGAIN_AFTER_MS);
    } catch (error) {
      if (!service.killed || !(error instanceof TypeError)) throw error;
      felt.cut++;
    } finally {
      service.open--;
    }
    return undefined;
  };

  return {
    /** Requests a page once. Returns undefined if the response is 503. */
    once: attempt,
    /** Requests a page until a service returns it. */
    async page(target: string): Promise<FeedPage> {
      const asked = performance.now();
      for (;;) {
        const page = await attempt(target);
        felt.longestWait = Math.max(felt.longestWait, performance.now() - asked);
        if (!page) continue;
        felt.pages++;
        return page;
      }
    },
    /** Returns the status of one response, which does not count among the readers' results. */
    async status(target: string): Promise<number> {
      const { origin } = services[turn++ % services.length] as Served;
      const response = await fetch(`${origin}/api${target}`);
      await response.arrayBuffer();
      return response.status;
    },
    /** Returns the readers' results since the last call. */
    note(): ClientStats {
      const before = felt;
      felt = { pages: 0, refused: 0, refusedUntil: 0, overloaded: 0, cut: 0, longestWait: 0 };
      notedAt = performance.now();
      return before;
    },
    /** Kills one process with SIGKILL. The others continue, and `restart` replaces it. */
    async kill(index: number): Promise<void> {
      const service = services[index] as Served;
      service.killed = true;
      await service.process.end('SIGKILL');
    },
    async restart(index: number): Promise<void> {
      services[index] = await start();
    },
    /**
     * Replaces one process without a failed request: starts the code of `newRoot`, and stops the old process
     * after its last response. A load balancer waits in the same way, because a stopping process closes idle
     * connections, and a request that is sent on such a connection at that moment gets no response.
     */
    async replace(index: number, newRoot?: string): Promise<void> {
      const old = services[index] as Served;
      services[index] = await start(newRoot);
      await eventually('the last response of the old process', async () => old.open === 0);
      await old.process.end('SIGTERM');
    },
    async stop(): Promise<void> {
      await Promise.all(services.map(({ process }) => process.end('SIGKILL')));
    },
  };
}

export type BalancedFeed = Awaited<ReturnType<typeof startBalancedFeed>>;
