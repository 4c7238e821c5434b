import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, type Random, TODAY } from '@vitrine/fixtures';
import { faultsOfCrawl, faultsOfItems, faultsOfStays, type ServedItem } from '../checks/invariants.ts';
import type { Ledger } from '../checks/ledger.ts';
import type { QueryClient } from './query-client.ts';

/** What the clients of a run share. */
export interface ClientContext {
  readonly client: QueryClient;
  readonly ledger: Ledger;
  readonly random: Random;
  /** The ids of the listings that stay in the feed and keep their position. */
  readonly steady: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the number of items in the feed. */
  onTotal(total: number): void;
}

interface Page {
  data: ServedItem[];
  meta: { total: number; pageCount: number; pageSize: number; nextCursor?: string };
}

const AD_TYPES = ['', '/sale', '/rent', '/service'] as const;
const CITIES = ['Curitiba', 'São Paulo', 'Belém', 'Florianópolis', 'Recife'] as const;
const think = (random: Random, signal: AbortSignal) =>
  sleep(random.integer(150, 900), undefined, { signal }).catch(() => signal.throwIfAborted());

function readPage({ ledger }: ClientContext, path: string, text: string): Page {
  const page = JSON.parse(text) as Page;
  for (const fault of faultsOfItems(page.data)) ledger.violate(`${path}: ${fault}`);
  if (page.data.length > page.meta.pageSize) ledger.violate(`${path}: ${page.data.length} items on the page`);
  return page;
}

/** Reads sequences of numbered pages, and some pages again with their ETag. */
export async function crawlPages(context: ClientContext): Promise<void> {
  const { client, ledger, random, steady, signal } = context;
  for (;;) {
    const pageSize = random.pick([20, 50, 100]);
    const adType = random.pick(AD_TYPES);
    let last = 1;
    for (let number = 1; number <= Math.min(last, 8); number++) {
      const path = `/api/public-feed${adType}?pageSize=${pageSize}&page=${number}`;
      const { text, headers } = await client.get('page', path);
      const { meta } = readPage(context, path, text);
      last = meta.pageCount;
      if (adType === '') {
        context.onTotal(meta.total);
        if (meta.total < steady.length) ledger.violate(`${path}: the total is ${meta.total}`);
      }
      const etag = headers.get('etag');
      if (etag !== null && random.chance(0.3)) {
        const again = await client.get('page', path, { headers: { 'if-none-match': etag } });
        if (again.status === 200) readPage(context, path, again.text);
      }
      await think(random, signal);
    }
  }
}

/** Reads the whole feed by cursor, again and again. */
export async function crawlByCursor(context: ClientContext): Promise<void> {
  const { client, ledger, random, steady, signal } = context;
  for (;;) {
    const ids: string[] = [];
    const pageSize = random.pick([50, 100]);
    const begin = Math.round(ledger.seconds);
    for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
      const path = `/api/public-feed?${new URLSearchParams({ pageSize: String(pageSize), cursor })}`;
      const { text } = await client.get('cursor', path);
      const { data, meta } = readPage(context, path, text);
      ids.push(...data.map(({ id }) => id));
      cursor = meta.nextCursor;
      await think(random, signal);
    }
    for (const fault of faultsOfCrawl(ids, steady)) ledger.violate(`crawl since ${begin} s: ${fault}`);
  }
}

/** Asks the agent feed for items on dates, in cities and near places. */
export async function askAgentFeed(context: ClientContext): Promise<void> {
  const { client, ledger, random, signal } = context;
  for (;;) {
    const query = new URLSearchParams({ pageSize: String(random.pick([10, 20, 50])) });
    if (random.chance(0.4)) query.set('city', random.pick(CITIES));
    const date = addDays(TODAY, random.integer(0, 8));
    const asksDate = random.chance(0.6);
    if (asksDate) {
      query.set('date', date);
      query.set('date_to', addDays(date, random.integer(0, 3)));
    }
    if (random.chance(0.2)) {
      query.set('lat', '-23.5');
      query.set('lng', '-46.6');
    }
    const path = `/api/ai-feed${random.pick(AD_TYPES)}?${query}`;
    const { text } = await client.get('ai-feed', path);
    for (const { id, availability } of readPage(context, path, text).data) {
      const days = availability as { date: string; available: boolean }[];
      if (asksDate && !days.some((day) => day.date === date && day.available))
        ledger.violate(`${path}: item ${id} is not available`);
    }
    await think(random, signal);
  }
}

/** Asks the agent feed for stays of some nights, cheapest first or newest first. */
export async function askStays(context: ClientContext): Promise<void> {
  const { client, ledger, random, signal } = context;
  for (;;) {
    const date = addDays(TODAY, random.integer(0, 4));
    const nights = random.integer(1, 3);
    const query = new URLSearchParams({ date, date_to: addDays(date, 5), nights: String(nights) });
    if (random.chance(0.5)) query.set('sort', 'total_price');
    if (random.chance(0.3)) query.set('city', random.pick(CITIES));
    const path = `/api/ai-feed?${query}`;
    const { text } = await client.get('ai-feed', path);
    for (const fault of faultsOfStays(readPage(context, path, text).data, nights))
      ledger.violate(`${path}: ${fault}`);
    await think(random, signal);
  }
}

/** Exports the whole feed, and checks that it contains every steady listing. */
export async function exportFeed(context: ClientContext): Promise<void> {
  const { client, ledger, random, steady, signal } = context;
  for (;;) {
    const { text } = await client.get('export', '/api/export');
    const items = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ServedItem);
    const faults = [
      ...faultsOfItems(items),
      ...faultsOfCrawl(
        items.map(({ id }) => id),
        steady,
      ),
    ];
    for (const fault of faults) ledger.violate(`export: ${fault}`);
    await sleep(random.integer(10_000, 25_000), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
