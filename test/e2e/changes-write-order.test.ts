import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { canRun, FollowerProgram } from '../support/follower-program.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { publishWithLateItem } from '../support/late-item.ts';
import { eventually } from '../support/service-process.ts';

const { idOf } = MarketEvents;
const [CHANGED, MARKER] = [1, 2];
/** A follower polls about once per second, but the machine may be busy. */
const WITHIN_MS = 60_000;

/**
 * The write of an item is late. An entry that the projector wrote before the item would send the follower to the
 * old item, and no later entry would correct the copy.
 */
describe('a follower of docs/start, while an item is late', () => {
  const market = new MarketEvents();
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector;
  let feed: Feed;
  let follower: FollowerProgram;

  before(async () => {
    deployment = await createDeployment('write-order', 1);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
    await deployment.publish([CHANGED, MARKER].map((listing) => market.snapshot(listing)));
    await deployment.caughtUp();
    feed = await startFeed(deployment);
    follower = new FollowerProgram(canRun('follow.py') ? 'follow.py' : 'follow.ts', feed.base);
    follower.start();
    await eventually('the export is complete', async () => follower.next() !== undefined);
  });
  after(async () => {
    proxy.hook = () => 'pass';
    await follower?.close();
    await feed?.stop();
    await projector?.stop();
    await proxy?.close();
    await deployment?.close();
  });

  const publishLate = (event: Published) =>
    publishWithLateItem({ deployment, proxy, follower }, { event, id: idOf(CHANGED), other: idOf(MARKER) });

  it('receives the new content', async () => {
    await publishLate(market.changed(CHANGED, { price: 777 }));
    const hasNewPrice = async () => {
      const data = follower.copy().get(idOf(CHANGED));
      return data !== undefined && (JSON.parse(data) as { price: number }).price === 777;
    };
    await eventually('the new price', hasNewPrice, WITHIN_MS);
  });

  it('receives the removal', async () => {
    await publishLate(market.removed(CHANGED));
    await eventually('the removal', async () => !follower.copy().has(idOf(CHANGED)), WITHIN_MS);
    expect([...follower.copy().keys()]).to.deep.equal([idOf(MARKER)]);
  });
});
