import type { ItemDocument } from '@vitrine/feed-index';
import { expect } from 'chai';
import { engines } from './engines.ts';
import { metricOf } from './query-metrics.ts';
import { createItemsIndex } from './query-service.ts';
import { eventually, type ServiceProcess, spawnService } from './service-process.ts';

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

/** Starts it on free ports, over the engines of this test run. `env` extends and overrides its environment. */
export async function spawnQuery(items: ItemDocument[], env: Record<string, string>): Promise<QueryProcess> {
  const { prefix, drop } = await createItemsIndex(items);
  const { settings: enginesOfTheRun } = await engines();
  const settings = { ...enginesOfTheRun, INDEX_PREFIX: prefix, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info', RATE_LIMIT: 'off' };
  const process = spawnService('query', { ...settings, ...env });
  const served = await eventually(
    'started',
    async () => /"port":(\d+),.*"adminPort":(\d+),.*the feeds are served/.exec(process.log()) ?? undefined,
  ).catch((error: Error) => Promise.reject(new Error(`${error.message}; its log: ${process.log()}`)));
  const [, port, adminPort] = served;
  const admin = `http://127.0.0.1:${adminPort}`;
  const becomes = async (ready: boolean, withinMs = 30_000) => {
    await eventually(ready ? 'ready' : 'unready', async () => ((await fetch(`${admin}/health/ready`)).status === 200) === ready, withinMs);
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
