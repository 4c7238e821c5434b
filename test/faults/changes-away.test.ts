import { generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { readChangesHistory, updateChangesHistory } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { becomesCurrent } from '../support/follower-copy.ts';
import { canRun, FollowerProgram } from '../support/follower-program.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const LISTINGS = 140;
const HOUR_MS = 60 * 60 * 1_000;
/** A feed date before all dates of the listings, so that the feed contains their whole calendars. */
const BEFORE_ALL_DATES = { FEED_TODAY: '2026-11-20', AVAILABILITY_HORIZON_DAYS: '1096' };

/**
 * Two published followers stop for a week in which listings change and leave, the operator rebuilds, and the
 * old generation is pruned. One of them returns shortly before CHANGES_RETENTION_DAYS have passed since the
 * prune, the other one shortly after. The test moves the end of the retention instead of the clock.
 */
describe('a follower of docs/start that was away for a week', () => {
  const program = canRun('follow.py') ? 'follow.py' : 'follow.ts';
  const market = new MarketEvents();
  let deployment: Deployment;
  let projector: RunningProjector;
  let feed: Feed;
  let early: FollowerProgram;
  let late: FollowerProgram;

  const publish = async (events: Published[], ...generations: number[]) => {
    await deployment.publish(events);
    for (const generation of generations) await deployment.caughtUp(undefined, generation);
  };
  const changed = (listings: readonly number[], price: number) =>
    listings.map((listing) => market.changed(listing, { price }));
  const removed = (listings: readonly number[]) => listings.map((listing) => market.removed(listing));
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const command = async (...args: string[]) => {
    const { code, output } = await cli(deployment, args);
    expect(code, `${args.join(' ')}: ${output}`).to.equal(0);
  };
  /** Moves the time at which the operator may delete the changes of generation 1. */
  const retentionEnds = (at: number) =>
    updateChangesHistory(deployment.client, deployment.prefix, (now) => ({
      ...now,
      kept: now.kept.map((one) => ({ ...one, until: new Date(at).toISOString() })),
    }));
  before(async () => {
    deployment = await createDeployment('changes-away', 2);
    projector = await runProjector(deployment);
    await publish(
      range(1, LISTINGS).map((listing) => market.snapshot(listing)),
      1,
    );
    feed = await startFeed(deployment, BEFORE_ALL_DATES);
    early = new FollowerProgram(program, feed.base);
    late = new FollowerProgram(program, feed.base);
    for (const follower of [early, late]) {
      follower.start();
      await becomesCurrent(follower, feed);
      // The export of listings younger than half a minute leads to number 0, which never expires.
      await eventually(
        'the follower has a place',
        async () => !follower.next()?.endsWith('afterChangeNumber=0'),
      );
      await follower.kill();
    }
    await publish([...changed(range(1, 40), 111), ...removed(range(40, 50))], 1);
    await command('replay');
    await publish([...changed(range(50, 60), 222), ...removed(range(60, 65))], 1, 2);
    await command('verify');
    await command('switch');
    await publish([...changed(range(30, 55), 333), ...removed(range(65, 70))], 1, 2);
    await command('prune', '1');
  });
  after(async () => {
    await early?.close();
    await late?.close();
    await feed?.stop();
    await projector?.stop();
    await deployment?.close();
  });

  it('continues at its place if it returns before the changes expire', async () => {
    await retentionEnds(Date.now() + HOUR_MS);
    await command('prune');
    early.start();
    await becomesCurrent(early, feed);
    expect(early.run(), early.log()).to.equal(1);
    for (const listing of [...range(40, 50), ...range(60, 70)])
      expect(early.copy().has(MarketEvents.idOf(listing)), `removed listing ${listing}`).to.equal(false);
  });

  it('starts over if it returns after the changes have expired', async () => {
    await early.kill();
    await retentionEnds(Date.now() - HOUR_MS);
    await command('prune');
    const { client, prefix } = deployment;
    expect((await readChangesHistory(client, prefix)).kept).to.deep.equal([]);
    expect(await client.indices.exists({ index: generationNames(prefix, 1).changes })).to.equal(false);
    // For about a second, the service still reads the point in time that it opened for the other follower.
    const next = late.next() as string;
    await eventually('the place of the follower has expired', async () => {
      const response = await fetch(next);
      await response.body?.cancel();
      return response.status === 410;
    });
    late.start();
    await becomesCurrent(late, feed);
    expect(late.run(), late.log()).to.equal(2);
  });

  it('continues without a new export if it has already reached the new generation', async () => {
    await publish([...changed(range(70, 80), 444), ...removed([80])], 2);
    early.start();
    await becomesCurrent(early, feed);
    expect(early.run(), early.log()).to.equal(1);
  });
});
