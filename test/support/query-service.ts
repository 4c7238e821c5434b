import type { Client } from '@elastic/elasticsearch';
import { generationNames, type ItemDocument, itemsAlias, itemsIndexBody } from '@vitrine/feed-index';
import { startQueryService } from '@vitrine/query';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { engines } from './engines.ts';
import { eventually, type ServiceProcess, spawnService } from './service-process.ts';
import { metricOf } from './telemetry.ts';

/** The query service in this process, over a separate items index. */
export interface QueryDeployment {
  elasticsearch: Client;
  prefix: string;
  /** Scheme, host and port of the public interface. */
  origin: string;
  /** Scheme, host and port of health and metrics. */
  admin: string;
  port: number;
  /** Creates and fills the index with its alias. */
  createIndex(items: ItemDocument[]): Promise<void>;
  /** Number of searches on the index, counted by Elasticsearch. */
  searches(): Promise<number>;
  close(): Promise<void>;
}

export interface QueryDeploymentOptions {
  env?: NodeJS.ProcessEnv;
  /** Sets the index's `max_result_window` and the service's limit. */
  resultWindow?: number;
  shards?: number;
  /** The service's wall clock, in milliseconds since the epoch. */
  clock?: () => number;
}

let count = 0;

/** An items index with its alias, for a service in a separate process. */
async function createItemsIndex(items: ItemDocument[]): Promise<{ prefix: string; drop(): Promise<void> }> {
  const url = (await engines()).settings.ELASTICSEARCH_URL;
  const prefix = `query-${process.pid}-${++count}`;
  const elasticsearch = createElasticsearch({ url, requestTimeout: 60_000, maxRetries: 3 });
  const index = generationNames(prefix, 1).items;
  await elasticsearch.indices.create({ index, ...itemsIndexBody(), aliases: { [itemsAlias(prefix)]: {} } });
  await fill(elasticsearch, index, items);
  return {
    prefix,
    async drop() {
      await elasticsearch.indices.delete({ index, ignore_unavailable: true });
      await elasticsearch.close();
    },
  };
}

/** Large items take several requests, because Elasticsearch accepts at most 100 MB in one. */
async function fill(elasticsearch: Client, index: string, items: ItemDocument[]): Promise<void> {
  if (items.length === 0) return;
  await elasticsearch.helpers.bulk({
    datasource: items,
    onDocument: ({ id }) => ({ create: { _index: index, _id: id } }),
    onDrop: ({ error }) => {
      throw new Error(`an item was refused: ${JSON.stringify(error)}`);
    },
    refreshOnCompletion: index,
  });
}

export async function startQuery({
  env = {},
  resultWindow = 10_000,
  shards = 1,
  clock = Date.now,
}: QueryDeploymentOptions = {}): Promise<QueryDeployment> {
  const url = (await engines()).settings.ELASTICSEARCH_URL;
  const prefix = `query-${process.pid}-${++count}`;
  const elasticsearch = createElasticsearch({ url, requestTimeout: 60_000, maxRetries: 3 });
  const defaults = {
    ELASTICSEARCH_URL: url,
    INDEX_PREFIX: prefix,
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT: 'off',
  };
  const service = await startQueryService({ ...defaults, ...env }, createLog('query', 'silent'), {
    resultWindow,
    clock,
  });
  const index = generationNames(prefix, 1).items;
  return {
    elasticsearch,
    prefix,
    origin: `http://127.0.0.1:${service.port}`,
    admin: `http://127.0.0.1:${service.adminPort}`,
    port: service.port,
    async createIndex(items) {
      const { settings, mappings } = itemsIndexBody();
      const own = { number_of_shards: shards, max_result_window: resultWindow };
      await elasticsearch.indices.create({
        index,
        settings: { ...settings, ...own },
        mappings,
        aliases: { [itemsAlias(prefix)]: {} },
      });
      await fill(elasticsearch, index, items);
    },
    async searches() {
      const { _all: all } = await elasticsearch.indices.stats({ index, metric: 'search' });
      return all.primaries?.search?.query_total ?? Number.NaN;
    },
    async close() {
      await service.stop();
      await elasticsearch.indices.delete({ index, ignore_unavailable: true });
      await elasticsearch.close();
    },
  };
}

/** The query service in a separate process, over a separate items index. */
export interface QueryProcess {
  process: ServiceProcess;
  origin: string;
  admin: string;
  port: number;
  prefix: string;
  metric(name: string, labels?: string): Promise<number>;
  /** Waits until it is ready, or unready. */
  becomes(ready: boolean, withinMs?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts it on free ports, over the engines of this test run. `env` extends and overrides its environment.
 */
export async function spawnQuery(items: ItemDocument[], env: Record<string, string>): Promise<QueryProcess> {
  const { prefix, drop } = await createItemsIndex(items);
  const { settings: enginesOfTheRun } = await engines();
  const settings = {
    ...enginesOfTheRun,
    INDEX_PREFIX: prefix,
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'info',
    RATE_LIMIT: 'off',
  };
  const process = spawnService('query', { ...settings, ...env });
  const served = await eventually(
    'started',
    async () => /"port":(\d+),.*"adminPort":(\d+),.*the feeds are served/.exec(process.log()) ?? undefined,
  ).catch((error: Error) => Promise.reject(new Error(`${error.message}; its log: ${process.log()}`)));
  const [, port, adminPort] = served;
  const admin = `http://127.0.0.1:${adminPort}`;
  const becomes = async (ready: boolean, withinMs = 30_000) => {
    await eventually(
      ready ? 'ready' : 'unready',
      async () => ((await fetch(`${admin}/health/ready`)).status === 200) === ready,
      withinMs,
    );
  };
  await becomes(true);
  return {
    process,
    origin: `http://127.0.0.1:${port}`,
    admin,
    port: Number(port),
    prefix,
    metric: (name, labels) => metricOf(admin, name, labels),
    becomes,
    async close() {
      expect(await process.end('SIGTERM')).to.equal(0);
      await drop();
    },
  };
}
