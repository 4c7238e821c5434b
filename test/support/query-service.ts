import type { Client } from '@elastic/elasticsearch';
import type { Item } from '@vitrine/feed-index';
import { startQueryService, type TimeLimits } from '@vitrine/query';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { engines } from './engines.ts';
import { createItemsIndex, indexItems, itemsIndex } from './items-index.ts';
import {
  addressesOf,
  eventually,
  metricOf,
  type QueryAddresses,
  type ServiceProcess,
  startService,
} from './service-process.ts';

/** The query service in this process, with its own items index. */
export interface QueryDeployment extends QueryAddresses {
  elasticsearch: Client;
  prefix: string;
  /** Creates the index and its alias, and writes the items. */
  createIndex(items: Item[]): Promise<void>;
  /** Number of searches of the index, as Elasticsearch counts them. */
  searches(): Promise<number>;
  close(): Promise<void>;
}

export interface QueryDeploymentOptions {
  env?: NodeJS.ProcessEnv;
  /** Replaces the index's `max_result_window` and the service's limit. */
  resultWindow?: number;
  shards?: number;
  /** Replaces the service's wall clock. Returns milliseconds since the epoch. */
  clock?: () => number;
  /** The default limits last for minutes, so that a busy machine causes no 503. */
  timeLimits?: TimeLimits;
}

let count = 0;

/** A new index prefix on this test run's engines, and the settings of a query service that reads it. */
async function newPrefix(logLevel: string) {
  const { settings } = await engines();
  const prefix = `query-${process.pid}-${++count}`;
  const url = settings.ELASTICSEARCH_URL;
  const elasticsearch = createElasticsearch({ url, requestTimeout: 60_000, maxRetries: 3 });
  const env = {
    ...settings,
    INDEX_PREFIX: prefix,
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: logLevel,
    RATE_LIMIT: 'off',
  };
  const drop = async () => {
    await elasticsearch.indices.delete({ index: itemsIndex(prefix, 1), ignore_unavailable: true });
    await elasticsearch.close();
  };
  return { prefix, elasticsearch, env, drop };
}

const MINUTES_MS = 180_000;
/**
 * A test delays the event loop that it shares with a service, and other tests delay Elasticsearch. These
 * delays must not lead to refusals.
 */
export const PATIENT = {
  isBusy: () => false,
  timeLimits: { elasticsearch: MINUTES_MS, response: MINUTES_MS, changes: MINUTES_MS },
};

/** Starts the query service in this process. Its index does not exist yet. */
export async function startQuery({
  env = {},
  resultWindow = 10_000,
  shards = 1,
  clock = Date.now,
  timeLimits = PATIENT.timeLimits,
}: QueryDeploymentOptions = {}): Promise<QueryDeployment> {
  const { prefix, elasticsearch, env: defaults, drop } = await newPrefix('silent');
  const service = await startQueryService({ ...defaults, ...env }, createLog('query', 'silent'), {
    resultWindow,
    clock,
    isBusy: PATIENT.isBusy,
    timeLimits,
  });
  const index = itemsIndex(prefix, 1);
  return {
    elasticsearch,
    prefix,
    origin: `http://127.0.0.1:${service.port}`,
    admin: `http://127.0.0.1:${service.adminPort}`,
    port: service.port,
    async createIndex(items) {
      await createItemsIndex(elasticsearch, prefix, 1, { shards, resultWindow });
      await indexItems(elasticsearch, index, items);
    },
    async searches() {
      const { _all: all } = await elasticsearch.indices.stats({ index, metric: 'search' });
      return all.primaries?.search?.query_total ?? Number.NaN;
    },
    async close() {
      await service.stop();
      await drop();
    },
  };
}

/** The query service in a separate process, with its own items index. */
export interface QueryProcess extends QueryAddresses {
  process: ServiceProcess;
  elasticsearch: Client;
  prefix: string;
  metric(name: string, labels?: string): Promise<number>;
  /** Waits until the service is ready, or unready. */
  becomes(ready: boolean, withinMs?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a query service on free ports with an index of these items. `env` extends and overrides its
 * environment.
 * @param root the repository whose code runs
 */
export async function startQueryProcess(
  items: Item[],
  env: Record<string, string>,
  root?: string,
): Promise<QueryProcess> {
  const { prefix, elasticsearch, env: defaults, drop } = await newPrefix('info');
  await createItemsIndex(elasticsearch, prefix, 1);
  await indexItems(elasticsearch, itemsIndex(prefix, 1), items);
  const process = startService('query', { ...defaults, ...env }, [], root);
  const addresses = await addressesOf(process);
  const becomes = (ready: boolean, withinMs?: number) => becomesReady(addresses.admin, ready, withinMs);
  await becomes(true);
  return {
    ...addresses,
    process,
    elasticsearch,
    prefix,
    metric: (name, labels) => metricOf(addresses.admin, name, labels),
    becomes,
    async close() {
      expect(await process.end('SIGTERM')).to.equal(0);
      await drop();
    },
  };
}

/** Waits until the service behind this admin address is ready, or unready. */
export async function becomesReady(admin: string, ready = true, withinMs = 120_000): Promise<void> {
  await eventually(
    ready ? 'ready' : 'unready',
    async () => ((await fetch(`${admin}/health/ready`)).status === 200) === ready,
    withinMs,
  );
}
