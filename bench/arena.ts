import type { Client } from '@elastic/elasticsearch';
import { type Engines, startEngines } from '@vitrine/engines';
import { generationNames, itemsAlias, itemsIndexBody } from '@vitrine/feed-index';
import { createElasticsearch } from '@vitrine/runtime';
import { Connection, get } from './connection.ts';
import { CALENDAR_DAYS, indexMarket, TODAY } from './market.ts';
import { type PostgresMarket, startPostgresMarket } from './peers/postgres-market.ts';
import { type ServiceContender, startQuery } from './processes.ts';

/** What all parts of one run share: the engines, and what was filled once. */
export interface Arena {
  /** How many items a market has unless a part needs another size. */
  items: number;
  engines: Engines;
  elasticsearch: Client;
  elasticsearchPort: number;
  /** The market of this size, indexed when it is first asked for; the prefix of its index. */
  market(count: number, days?: number): Promise<string>;
  /** The query service over a market, as a process; limits on clients are there, but out of reach. */
  query(prefix: string, env?: Record<string, string>): Promise<ServiceContender>;
  /** The same market in PostgreSQL, filled when it is first asked for; or why there is none. */
  postgres(): Promise<PostgresMarket | string>;
  /** Its version, once it is there. */
  postgresVersion(): Promise<string | undefined>;
  tell(message: string): void;
  /** Stops and deletes all of it; a second call waits for the first. */
  close(): Promise<void>;
}

/** No page is kept or used again: each is searched for. What was counted for one serves the others for some seconds, as it does by default. */
export const UNCACHED: Record<string, string> = { CACHE_BYTES: '0' };
/** Nothing that was found is kept: each request is as the first one after a while. */
export const NOTHING_KEPT: Record<string, string> = { CACHE_BYTES: '0', CACHE_FRESH_SECONDS: '0' };

export async function openArena(items: number, tell: (message: string) => void): Promise<Arena> {
  const engines = await startEngines({ elasticsearchHeap: '3g', onProgress: tell });
  const url = engines.settings.ELASTICSEARCH_URL;
  const elasticsearch = createElasticsearch({ url, requestTimeout: 120_000, maxRetries: 3 });
  const markets = new Map<string, Promise<string>>();
  let postgres: Promise<PostgresMarket | string> | undefined;
  let closing: Promise<void> | undefined;

  const fill = async (prefix: string, count: number, days: number): Promise<string> => {
    const index = generationNames(prefix, 1).items;
    await elasticsearch.indices.create({ index, ...itemsIndexBody(), aliases: { [itemsAlias(prefix)]: {} } });
    const start = performance.now();
    await indexMarket(elasticsearch, index, { count, days, onProgress: (written) => written % 50_000 === 0 && tell(`${written} items`) });
    tell(`${count} items with ${days} dates each are in Elasticsearch after ${Math.round((performance.now() - start) / 1_000)} s`);
    return prefix;
  };
  const close = async (): Promise<void> => {
    const started = await postgres?.catch(() => undefined);
    if (typeof started === 'object') await started.stop();
    for (const prefix of markets.keys()) await elasticsearch.indices.delete({ index: generationNames(prefix, 1).items, ignore_unavailable: true });
    await elasticsearch.close();
    await engines.stop();
  };
  return {
    items,
    engines,
    elasticsearch,
    elasticsearchPort: Number(new URL(url).port),
    market(count, days = CALENDAR_DAYS) {
      const prefix = `bench-${process.pid}-${count}-${days}`;
      const market = markets.get(prefix) ?? fill(prefix, count, days);
      markets.set(prefix, market);
      return market;
    },
    query: (prefix, env = {}) =>
      startQuery({ ELASTICSEARCH_URL: url, INDEX_PREFIX: prefix, FEED_TODAY: TODAY, RATE_LIMIT: '999999999', PROCESSES: '1', ...env }),
    postgres() {
      postgres ??= startPostgresMarket(items, tell);
      return postgres;
    },
    async postgresVersion() {
      const started = await postgres;
      return typeof started === 'object' ? started.version : undefined;
    },
    tell,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** How many items the feed has, by its own answer. */
export async function totalOf(port: number): Promise<number> {
  const connection = new Connection(port);
  const { body } = await connection.send(get('/api/public-feed?pageSize=1'));
  connection.close();
  return (JSON.parse(body.toString()) as { meta: { total: number } }).meta.total;
}
