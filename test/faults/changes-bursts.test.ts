import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { IndexFollower } from '../support/index-follower.ts';
import { memoryOf, type ServiceProcess, startService } from '../support/service-process.ts';

const IS_LONG = process.env.VITRINE_FULL === '1';
/** The number of listings that leave the feed at the same time. */
const LEAVING = IS_LONG ? 100_000 : 6_000;
const STAYING = 200;
const BURST_PER_SECOND = 5_000;
const BURST_SECONDS = IS_LONG ? 30 : 2;
const ROUNDS = 5;
const LIMIT_MB = 400;

describe('many changes at once', function () {
  this.timeout(1_200_000);
  let deployment: Deployment;
  let projector: ServiceProcess;
  let market: MarketEvents;
  const idOf = MarketEvents.idOf;
  /** Numbers of listings that are complete from their first version on. */
  const complete = (count: number, from = 1) => {
    const numbers: number[] = [];
    for (let listing = from; numbers.length < count; listing++) if (listing % 7 > 0) numbers.push(listing);
    return numbers;
  };
  const createFollower = () => new IndexFollower(deployment.client, deployment.prefix);
  const caughtUp = () => deployment.caughtUp(900_000);
  const expectFeed = async (follower: IndexFollower) => {
    const items = new Map([...(await deployment.items())].map(([id, item]) => [id, JSON.stringify(item)]));
    expect(follower.items.size).to.equal(items.size);
    for (const [id, item] of items) expect(follower.items.get(id), id).to.equal(item);
  };

  beforeEach(async () => {
    market = new MarketEvents();
    deployment = await createDeployment('changes-bursts', 4);
    projector = startService('projector', deployment.env);
  });
  afterEach(async () => {
    await projector.end('SIGKILL');
    await deployment.close();
  });

  it(`removes and hides ${LEAVING.toLocaleString('en')} listings at once for a follower, and sends it each of them once`, async () => {
    const numbers = complete(LEAVING + STAYING);
    const [leaving, staying] = [numbers.slice(0, LEAVING), numbers.slice(LEAVING)];
    await deployment.publish(numbers.map((listing) => market.snapshot(listing, 1)));
    await caughtUp();
    const follower = createFollower();
    await follower.follow();
    await expectFeed(follower);
    const before = follower.received.length;
    await deployment.publish(
      leaving.map((listing) =>
        listing % 2 > 0 ? market.removed(listing) : market.changed(listing, { price: null }),
      ),
    );
    await caughtUp();
    await follower.follow();
    expect([...follower.items.keys()].sort()).to.deep.equal(staying.map(idOf).sort());
    expect(follower.received.slice(before).sort()).to.deep.equal(leaving.map(idOf).sort());
    expect(memoryOf(projector.pid)).to.be.below(LIMIT_MB);
  });

  it(`shows a burst of ${BURST_PER_SECOND.toLocaleString('en')} changes per second for ${BURST_SECONDS} s to a follower`, async () => {
    const numbers = complete(2_000);
    await deployment.publish(numbers.map((listing) => market.snapshot(listing, 1)));
    await caughtUp();
    const follower = createFollower();
    await follower.follow();
    let isOver = false;
    const following = (async () => {
      for (; !isOver; await sleep(200)) await follower.follow();
    })();
    for (let second = 0; second < BURST_SECONDS; second++) {
      const startedAt = performance.now();
      await deployment.publish(
        Array.from({ length: BURST_PER_SECOND }, (_, i) =>
          market.changed(numbers[i % numbers.length] as number, { price: second * 10_000 + i + 1 }),
        ),
      );
      await sleep(Math.max(0, startedAt + 1_000 - performance.now()));
    }
    await caughtUp();
    isOver = true;
    await following;
    await follower.follow();
    await expectFeed(follower);
  });

  it('sends a follower that was away each listing once, regardless of how often it has changed', async () => {
    const numbers = complete(500);
    await deployment.publish(numbers.map((listing) => market.snapshot(listing, 1)));
    await caughtUp();
    const follower = createFollower();
    await follower.follow();
    const before = follower.received.length;
    const changing = numbers.slice(0, 300);
    for (let round = 1; round <= ROUNDS; round++) {
      await deployment.publish(changing.map((listing) => market.changed(listing, { price: round * 1_000 })));
      await caughtUp();
    }
    await follower.follow();
    expect(follower.received.slice(before).sort()).to.deep.equal(changing.map(idOf).sort());
    await expectFeed(follower);
    const { changes } = generationNames(deployment.prefix, 1);
    expect((await deployment.client.count({ index: changes })).count).to.equal(numbers.length);
  });
});
