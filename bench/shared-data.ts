import type { Client } from '@elastic/elasticsearch';
import type { Engines } from '@vitrine/engines';
import { generationNames, type Item, itemsAlias, itemsIndexBody } from '@vitrine/feed-index';
import { Random } from '@vitrine/fixtures';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { hostileMarket } from '@vitrine/test/hostile-market';
import { marketItems } from './agents/market.ts';
import { CALENDAR_DAYS, datasetItems, indexDataset, TODAY } from './dataset.ts';
import { type PostgresDataset, startPostgresDataset } from './peers/postgres-dataset.ts';
import { within } from './time-limit.ts';

/** No request of the bench takes this long. */
const REQUEST_TIMEOUT_MS = 120_000;
/** The seed for the market of expensive listings. */
export const MARKET_SEED = 34;
const RELEASE_LIMIT_MS = 30_000;

/** The engines and datasets that the parts of one run share. */
export class SharedData {
  readonly items: number;
  readonly engines: Engines;
  readonly elasticsearch: Client;
  /** Other checkouts of the repository that the `compare` part measures. */
  readonly checkouts: readonly string[];
  /** The environment of a query service, except for its index prefix. */
  readonly queryEnv: Readonly<Record<string, string>>;
  readonly #datasets = new Map<string, Promise<string>>();
  readonly #prefixes: string[] = [];
  readonly #interruption: AbortSignal;
  readonly #tell: (message: string) => void;
  #postgres: Promise<PostgresDataset | string> | undefined;

  constructor(
    items: number,
    engines: Engines,
    interruption: AbortSignal,
    tell: (message: string) => void,
    checkouts: readonly string[] = [],
  ) {
    const url = engines.settings.ELASTICSEARCH_URL;
    this.items = items;
    this.engines = engines;
    this.checkouts = checkouts;
    this.elasticsearch = createElasticsearch({ url, requestTimeout: REQUEST_TIMEOUT_MS, maxRetries: 3 });
    this.queryEnv = { ELASTICSEARCH_URL: url, FEED_TODAY: TODAY, RATE_LIMIT: '999999999', PROCESSES: '1' };
    this.#interruption = interruption;
    this.#tell = tell;
  }

  /** Returns the index prefix for the dataset of this size. */
  dataset(count: number, days = CALENDAR_DAYS): Promise<string> {
    return this.#indexed(`${count}-${days}`, `${count} items with ${days} dates each`, () =>
      datasetItems(count, days),
    );
  }

  /** Returns the index prefix for the market of this number of listings (`agents/market.ts`). */
  market(count: number): Promise<string> {
    return this.#indexed(`market-${count}`, `a market of ${count} listings`, () => marketItems(count));
  }

  /** Returns the index prefix for the market of expensive listings. */
  hostileMarket(): Promise<string> {
    return this.#indexed(
      'hostile',
      'a market of expensive listings',
      () => hostileMarket(new Random(MARKET_SEED)).items,
    );
  }

  /** The first use of a key indexes its items, and a use after a failure tries again. */
  async #indexed(key: string, what: string, items: () => Iterable<Item>): Promise<string> {
    const filled = this.#datasets.get(key) ?? this.#fill(key, what, items());
    this.#datasets.set(key, filled);
    try {
      return await filled;
    } catch (error) {
      this.#datasets.delete(key);
      throw error;
    }
  }

  /**
   * Returns the dataset in a separate PostgreSQL, or the reason why PostgreSQL is not available. The first
   * use fills the dataset.
   */
  postgres(): Promise<PostgresDataset | string> {
    this.#postgres ??= startPostgresDataset(() => datasetItems(this.items), this.#interruption, this.#tell);
    return this.#postgres;
  }

  /** The version of PostgreSQL; undefined if PostgreSQL is not running. */
  async postgresVersion(): Promise<string | undefined> {
    const started = await this.#postgres?.catch(() => undefined);
    return typeof started === 'object' ? started.version : undefined;
  }

  /** Deletes the indices whose names match the pattern. */
  async deleteIndices(pattern: string): Promise<void> {
    const index = Object.keys(
      await this.elasticsearch.indices.get({ index: pattern, ignore_unavailable: true }),
    );
    if (index.length > 0) await this.elasticsearch.indices.delete({ index, ignore_unavailable: true });
  }

  /** Stops and deletes everything within bounded time, even after failures. */
  async close(): Promise<void> {
    const release = (what: string, work: () => Promise<unknown>) =>
      within(what, RELEASE_LIMIT_MS, new AbortController().signal, work).catch((error: Error) =>
        this.#tell(error.message),
      );
    await release('stop of PostgreSQL', async () => {
      const started = await this.#postgres?.catch(() => undefined);
      if (typeof started === 'object') await started.stop();
    });
    // Engines that the bench started are deleted with their data.
    if (this.engines.source.elasticsearch === 'environment')
      await release('deletion of the datasets', () =>
        Promise.all(this.#prefixes.map((prefix) => this.deleteIndices(`${prefix}-*`))),
      );
    await release('stop of the engines', async () => {
      await this.elasticsearch.close();
      await this.engines.stop();
    });
  }

  async #fill(key: string, what: string, items: Iterable<Item>): Promise<string> {
    const prefix = `bench-${process.pid}-${this.#prefixes.length}-${key}`;
    this.#prefixes.push(prefix);
    const index = generationNames(prefix, 1).items;
    await this.elasticsearch.indices.create({
      index,
      ...itemsIndexBody(),
      aliases: { [itemsAlias(prefix)]: {} },
    });
    const start = performance.now();
    const onProgress = (written: number) => written % 50_000 === 0 && this.#tell(`${written} items`);
    await indexDataset(this.elasticsearch, index, { items, onProgress, signal: this.#interruption });
    const seconds = Math.round((performance.now() - start) / 1_000);
    this.#tell(`Elasticsearch has ${what} after ${seconds} s`);
    return prefix;
  }
}
