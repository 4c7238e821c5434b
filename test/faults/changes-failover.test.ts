import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineControl, type Engines, EnginesError, startEngines } from '@vitrine/engines';
import { changeNumber, generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { entriesOf } from '../support/changes-index.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { IndexFollower } from '../support/index-follower.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const FULL = process.env.VITRINE_FULL === '1';
const NODES = 3;
const KILLS = FULL ? 8 : 2;
const LISTINGS = 300;
const CHANGES_PER_SECOND = 200;

describe(`followers of the changes on ${NODES} Elasticsearch nodes`, function () {
  this.timeout(FULL ? 1_200_000 : 900_000);
  let engines: Engines;
  let deployment: Deployment;
  let projector: ServiceProcess | undefined;
  const market = new MarketEvents();

  before(async function () {
    if (!process.env.VITRINE_SCALE_OUT && !FULL) {
      process.stderr.write(
        '# skipped: set VITRINE_SCALE_OUT=1 (two minutes), or VITRINE_FULL=1 for the long form\n',
      );
      this.skip();
    }
    const env = { ...process.env, KAFKA_BROKERS: '', ELASTICSEARCH_URL: '', VITRINE_ENGINES: 'java' };
    try {
      engines = await startEngines({
        env,
        elasticsearchNodes: NODES,
        elasticsearchHeap: '512m',
        elasticsearchSettings: { 'cluster.routing.rebalance.enable': 'none' },
        onProgress: (message) => process.stderr.write(`# ${message}\n`),
      });
    } catch (error) {
      if (!(error instanceof EnginesError) || !error.message.includes('cannot run on this machine'))
        throw error;
      process.stderr.write(`# skipped: ${error.message}\n`);
      this.skip();
    }
    deployment = await createDeployment('changes-failover', 2, {}, engines.settings);
    Object.assign(deployment.env, { INDEX_REPLICAS: '1' });
    await deployment.publish(Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i + 1, 1)));
    projector = startService('projector', deployment.env);
    await deployment.caughtUp();
  });
  after(async () => {
    await projector?.end('SIGKILL');
    await deployment?.close().catch(() => undefined);
    await engines?.stop();
  });

  const isGreen = async () =>
    !(
      await deployment.client.cluster.health(
        { index: `${deployment.prefix}-*`, wait_for_status: 'green', timeout: '5s' },
        { ignore: [408] },
      )
    ).timed_out;
  const primaryNode = async (index: string): Promise<EngineControl> => {
    const shards = await deployment.client.cat.shards({ index, format: 'json', h: ['prirep', 'node'] });
    const name = shards.find(({ prirep }) => prirep === 'p')?.node ?? '';
    return engines.elasticsearchNodes[Number(name.split('-')[1]) - 1] as EngineControl;
  };

  it(`hold the feed, and no entry is taken back, after ${KILLS} kills of the primary of the changes`, async () => {
    const { client, prefix } = deployment;
    const { changes } = generationNames(prefix, 1);
    const follower = new IndexFollower(client, prefix);
    let isOver = false;
    const following = (async () => {
      // During a failover, a page may fail. The follower then reads this page again.
      while (!isOver) await follower.follow(50).catch(() => sleep(50));
    })();
    const changing = (async () => {
      for (let change = 0; !isOver; ) {
        const events = Array.from({ length: CHANGES_PER_SECOND / 10 }, () =>
          market.changed((change++ % LISTINGS) + 1, { price: 1_000 + change }),
        );
        await deployment.publish(events);
        await sleep(100);
      }
    })();
    for (let kill = 0; kill < KILLS; kill++) {
      await eventually('each shard has its replica', isGreen, 120_000);
      const node = await primaryNode(changes);
      const received = follower.received.length;
      await node.kill();
      await eventually(
        'the follower receives changes again',
        async () => follower.received.length > received + 500,
        90_000,
      );
      await node.start();
    }
    isOver = true;
    await Promise.all([following, changing]);
    await deployment.caughtUp();
    await follower.follow();
    const items = new Map([...(await deployment.items())].map(([id, item]) => [id, JSON.stringify(item)]));
    expect([...follower.items].sort()).to.deep.equal([...items].sort());
    const entries = await entriesOf(client, changes);
    expect([...follower.numbers].sort()).to.deep.equal(
      entries.map(({ id, sequence }) => [id, changeNumber(1, sequence)]).sort(),
    );
  });
});
