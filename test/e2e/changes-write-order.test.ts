import { changeNumber, generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { touchEntries } from '@vitrine/projection/store';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { canRun, FollowerProgram } from '../support/follower-program.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const { idOf } = MarketEvents;
const [CHANGED, MARKER] = [1, 2];
/** A follower polls about once per second, but the machine may be busy. */
const WITHIN_MS = 60_000;

/**
 * The write of an item is late. An entry that the projector wrote before the item would send the follower to the
 * old item, and no later entry would correct the copy.
 */
describe('a follower of docs/start, while an item is late', function () {
  this.timeout(180_000);
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

  /** Publishes an event, and delays its write of the item until the follower has passed a later entry. */
  async function publishLate(event: Published): Promise<void> {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    proxy.hook = async (step, moment, { body }): Promise<Verdict> => {
      if (step === 'write items' && moment === 'before' && body.includes(idOf(CHANGED))) {
        reached.resolve();
        await released.promise;
      }
      return 'pass';
    };
    await deployment.publish([event]);
    await reached.promise;
    const { client, prefix } = deployment;
    const names = generationNames(prefix, 1);
    await touchEntries(client, names, [idOf(MARKER)]);
    const { _seq_no } = await client.get({ index: names.changes, id: idOf(MARKER) });
    const hasPassed = async () => {
      const next = new URL(follower.next() as string);
      return Number(next.searchParams.get('afterChangeNumber')) >= changeNumber(1, _seq_no as number);
    };
    await eventually('the follower passes the marker', hasPassed, WITHIN_MS).finally(() =>
      released.resolve(),
    );
  }

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
