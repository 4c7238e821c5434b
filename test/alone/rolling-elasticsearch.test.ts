import type { EngineControl, Engines } from '@vitrine/engines';
import { expect } from 'chai';
import { startChurn } from '../support/churn.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type BalancedFeed, startBalancedFeed } from '../support/feed-clients.ts';
import { oldestAndNewest, RollingReport, startRollingEngines } from '../support/rolling.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const [FROM, TO] = oldestAndNewest('elasticsearch');
const LISTINGS = 2_000;
/** A search waits up to 8 s for a node that does not respond, and a reader may need two attempts. */
const READ_WITHIN_MS = 20_000;

describe(`a rolling upgrade of three Elasticsearch nodes from ${FROM} to ${TO}`, () => {
  let engines: Engines;
  let deployment: Deployment;
  let feed: BalancedFeed;
  let projector: ServiceProcess | undefined;
  const market = startChurn({ listings: LISTINGS, changesPerSecond: 50, readEveryMs: 50 });

  before(async function () {
    const started = await startRollingEngines(
      { VITRINE_ELASTICSEARCH_VERSION: FROM },
      { elasticsearchNodes: 3, elasticsearchHeap: '512m' },
    );
    if (started === undefined) return this.skip();
    engines = started;
    deployment = await createDeployment('rolling-es', 4, {}, engines.settings);
    Object.assign(deployment.env, { INDEX_REPLICAS: '1', RATE_LIMIT: 'off', CACHE_BYTES: '0' });
    await market.publish(deployment);
    projector = startService('projector', deployment.env);
    await deployment.caughtUp();
    feed = await startBalancedFeed(2, deployment.env);
  });
  after(async () => {
    await market.stop();
    await feed?.stop();
    await projector?.end('SIGKILL');
    await deployment?.close().catch(() => undefined);
    await engines?.stop();
  });

  const versions = async () =>
    Object.values((await deployment.client.nodes.info()).nodes)
      .map(({ version }) => version)
      .sort();
  const isGreen = async () => {
    const request = { wait_for_status: 'green', wait_for_nodes: '3', timeout: '5s' } as const;
    return !(await deployment.client.cluster.health(request, { ignore: [408] })).timed_out;
  };
  /** The nodes in the order that Elasticsearch's guide recommends, with the elected master last. */
  const inOrder = async (): Promise<[string, EngineControl][]> => {
    const master = String((await deployment.client.cat.master({ format: 'json' }))[0]?.node);
    return engines.elasticsearchNodes
      .map((node, index): [string, EngineControl] => [`vitrine-${index + 1}`, node])
      .sort(([a], [b]) => Number(a === master) - Number(b === master));
  };
  const allocate = (enable: 'primaries' | null) =>
    deployment.client.cluster.putSettings({ persistent: { 'cluster.routing.allocation.enable': enable } });

  it('loses nothing, and readers get complete pages or 503', async () => {
    await eventually('each shard has its replica', isGreen, 120_000);
    expect(await versions()).to.deep.equal([FROM, FROM, FROM]);
    await engines.useVersions({ elasticsearch: TO });
    const report = new RollingReport(feed);
    await market.during(deployment, feed.page, async () => {
      for (const [name, node] of await inOrder()) {
        await allocate('primaries');
        await deployment.client.indices.flush({}, { ignore: [404, 409] });
        await node.stop();
        await node.start();
        await allocate(null);
        await eventually('each shard has its replica', isGreen, 180_000);
        report.note(`${name} changed from ${FROM} to ${TO}`, 'until each shard had its replica again');
      }
    });
    expect(await versions()).to.deep.equal([TO, TO, TO]);
    expect(await market.expectModel(deployment, [1])).to.be.above(LISTINGS / 2);
    const { pages, longestWait } = report.summary(market.changes());
    expect(pages, 'pages during the upgrade').to.be.above(100);
    expect(longestWait, 'milliseconds of the longest wait for a page').to.be.below(READ_WITHIN_MS);
  });
});
