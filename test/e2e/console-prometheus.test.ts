import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startProgram, startService } from '../support/service-process.ts';

interface History {
  source: string;
  prometheusFailed?: string;
  series: Record<string, { at: number; value: number }[]>;
}

/** A port that was free a moment ago. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

describe('the history of the console from a real Prometheus', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let prometheus: ServiceProcess;
  let service: ServiceProcess;
  let folder: string;
  let origin: string;

  before(async function () {
    if (spawnSync('prometheus', ['--version']).error) {
      process.stderr.write('# skipped: the program prometheus (Debian package prometheus) is missing\n');
      return this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), 'vitrine-prometheus-'));
    deployment = await createDeployment('console-prometheus', 2);
    projector = await runProjector(deployment);
    const port = await freePort();
    await writeFile(
      join(folder, 'prometheus.yaml'),
      JSON.stringify({
        global: { scrape_interval: '1s' },
        scrape_configs: [
          { job_name: 'projector', static_configs: [{ targets: [new URL(projector.admin).host] }] },
        ],
      }),
    );
    prometheus = startProgram(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      {},
    );
    service = startService('cli', { ...deployment.env, PROMETHEUS_URL: `http://127.0.0.1:${port}` }, [
      'console',
      '--port=0',
    ]);
    origin = await eventually(
      'the console prints its URL',
      async () => /Console: (http:\/\/[^/]+)/.exec(service.log())?.[1],
    );
  });
  after(async () => {
    await service?.stop();
    await prometheus?.stop();
    await projector?.stop();
    await deployment?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const read = async (range: string) =>
    (await (await fetch(`${origin}/api/history?range=${range}`)).json()) as History;

  it('has lag and events of the live generation', async () => {
    const { series } = await eventually('Prometheus has the series', async () => {
      // Prometheus sees no increase in a counter that it first reads after the last event.
      await deployment.publish(Array.from({ length: 5 }, (_, i) => ({ key: `k-${i}`, value: '{' })));
      const history = await read('1h');
      const { applied = [], lagSeconds = [], lagRecords = [] } = history.series;
      const isThere = history.source === 'prometheus' && lagSeconds.length > 0 && lagRecords.length > 0;
      return isThere && applied.some(({ value }) => value > 0) ? history : undefined;
    });
    for (const points of [series.applied, series.lagSeconds, series.lagRecords])
      for (const { at, value } of points ?? []) {
        expect(value).to.be.at.least(0);
        expect(at).to.be.within(Date.now() - 3_700_000, Date.now() + 1_000);
      }
    await eventually('the long range', async () => (await read('24h')).source === 'prometheus');
  });

  it('falls back to the samples of the console while Prometheus is stopped, and says so', async () => {
    await prometheus.stop();
    const history = await eventually('the fallback', async () => {
      const now = await read('1h');
      return now.source === 'console' ? now : undefined;
    });
    expect(history.prometheusFailed).to.equal('ECONNREFUSED');
    expect(history.series.lagSeconds).to.not.be.empty;
  });
});
