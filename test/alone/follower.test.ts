import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import { MarketEvents, Random } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, type Step, startFaultProxy } from '../support/fault-proxy.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { becomesCurrent } from '../support/follower-copy.ts';
import { canRun, FollowerProgram } from '../support/follower-program.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { LateEntryProxy } from '../support/late-entry.ts';
import { switchWithLateEntries } from '../support/late-handover.ts';
import { publishWithLateItem } from '../support/late-item.ts';
import { RemovalWatch } from '../support/removal-watch.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';
import { STRICTER } from '../support/stricter-rules.ts';

const LISTINGS = 300;
/** Listings without random events, in one partition each, so that no later event repairs a missed change. */
const [QUIET, OTHER] = [LISTINGS + 1, LISTINGS + 2];
const EVENTS_PER_TICK = 10;
const TICK_MS = 100;
const KILLS = Number(process.env.VITRINE_KILLS ?? (process.env.VITRINE_FULL ? 24 : 5));
const SEED = Number(process.env.VITRINE_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** The steps of a batch at which the projector dies: before a request to Elasticsearch, or after it. */
const STEPS: [step: Step, moment: 'before' | 'after'][] = [
  ['write entries', 'before'],
  ['write items', 'after'],
  ['write entries', 'after'],
  ['write items', 'before'],
  ['write states', 'after'],
];
/**
 * A listing that returns and is removed again stays in the copy until a projector writes its entry. Time
 * without a working projector does not count. A listing whose removal the follower missed would stay for the
 * rest of the test.
 */
const REMOVED_WITHIN_MS = 15_000;
/** A feed date before all dates of the listings, so that the feed contains their whole calendars. */
const BEFORE_ALL_DATES = { FEED_TODAY: '2026-11-20', AVAILABILITY_HORIZON_DAYS: '1096' };
/**
 * One in this number of item writes is late, so that an entry that is written before its item would be read
 * too early.
 */
const LATE_ITEMS = 4;
const LATE_MS = 1_500;

/**
 * A published follower copies a market that changes continuously, while processes die and the operator
 * rebuilds, switches, rolls back and prunes. After each step, the follower's copy must equal a crawl. The
 * follower must never start over.
 */
describe('a follower of docs/start', () => {
  const program = canRun('follow.py') ? 'follow.py' : 'follow.ts';
  const market = new MarketEvents();
  const random = new Random(SEED);
  let deployment: Deployment;
  /** The proxy between the projector of generation 1 and Elasticsearch. */
  let proxy: FaultProxy;
  /** The proxy between the query service and Elasticsearch. */
  let reads: LateEntryProxy;
  let projector: ServiceProcess;
  let stricter: RunningProjector | undefined;
  let feed: Feed;
  let follower: FollowerProgram;
  let removals: RemovalWatch;
  let isOver = false;
  let isPaused = false;
  /** Whether every item write is late, instead of one in LATE_ITEMS. */
  let areAllLate = false;
  /** Whether Elasticsearch restarts. */
  let isRestarting = false;
  /** Whether a projector is dead, or has committed nothing since its start. */
  let isProjectorDown = false;
  const background: Promise<void>[] = [];

  before(async () => {
    process.stderr.write(`# ${program}, VITRINE_SEED=${SEED}\n`);
    deployment = await createDeployment('follower', 2);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = startProjector();
    await deployment.publish(Array.from({ length: LISTINGS }, (_, listing) => market.snapshot(listing)));
    await deployment.publish([
      { ...market.snapshot(QUIET), partition: 0 },
      { ...market.snapshot(OTHER), partition: 1 },
    ]);
    await deployment.caughtUp();
    reads = await LateEntryProxy.start(deployment.env.ELASTICSEARCH_URL as string);
    const env = { CACHE_BYTES: '8000000', ELASTICSEARCH_URL: reads.url, ...BEFORE_ALL_DATES };
    feed = await startFeed(deployment, env);
    follower = new FollowerProgram(program, feed.base);
    follower.start();
    await eventually('the export is complete', async () => follower.next() !== undefined);
    removals = new RemovalWatch(deployment, follower);
    const watching = removals.run(
      () => isOver,
      () => isRestarting,
      () => isProjectorDown,
    );
    background.push(change(), watching);
    // The last test awaits these promises. Until then, a failure must not end the process.
    for (const work of background) work.catch(() => undefined);
  });
  after(async () => {
    isOver = true;
    proxy.hook = () => 'pass';
    await Promise.allSettled(background);
    await follower?.close();
    await feed?.stop();
    await reads?.close();
    await stricter?.stop();
    await projector?.end('SIGKILL');
    await proxy?.close();
    await deployment?.close();
  });

  const startProjector = () => startService('projector', { ...deployment.env, ELASTICSEARCH_URL: proxy.url });
  const randomEvent = (listing: number) => {
    const roll = random.fraction();
    if (roll < 0.2) return market.removed(listing);
    if (roll < 0.45) return market.snapshot(listing);
    if (roll < 0.6) return market.changed(listing, { rating: random.integer(1, 5) });
    if (roll < 0.7) return market.changed(listing, { price: null });
    return market.changed(listing, { price: random.integer(50, 1_200) });
  };
  let publishing: Promise<void> = Promise.resolve();
  /** Publishes random events until the end. */
  async function change(): Promise<void> {
    for (; !isOver; await sleep(TICK_MS)) {
      if (isPaused) continue;
      publishing = deployment.publish(
        Array.from({ length: EVENTS_PER_TICK }, () => randomEvent(random.integer(0, LISTINGS - 1))),
      );
      await publishing;
    }
  }
  const priced = (listing: number, price: number) => ({
    ...market.changed(listing, { price }),
    partition: listing === QUIET ? 0 : 1,
  });
  /** Changes every listing while all item writes are late, and pauses the events until the copy equals a crawl. */
  async function expectCurrent(generation: number): Promise<void> {
    areAllLate = true;
    await pause();
    await deployment.publish(Array.from({ length: LISTINGS }, (_, listing) => randomEvent(listing)));
    await deployment.caughtUp(undefined, generation);
    areAllLate = false;
    await becomesCurrent(follower, feed);
    isPaused = false;
    expectNotStartedOver();
  }
  /** Pauses the events, so that no later event of a listing can repair a change that the follower has missed. */
  async function pause(): Promise<void> {
    isPaused = true;
    await publishing;
  }
  const command = async (args: string[], on = deployment) => {
    const { code, output } = await cli(on, args, { rules: STRICTER });
    expect(code, `${args.join(' ')}: ${output}`).to.be.oneOf([0, 3]);
  };
  /** Delays some item writes, and lets the projector die when it reaches a step. */
  const lateItems = async (step: Step, moment: 'before' | 'after') => {
    const isLate = areAllLate || random.integer(1, LATE_ITEMS) === 1;
    if (step === 'write items' && moment === 'before' && isLate) await sleep(LATE_MS);
    return 'pass' as const;
  };
  /** Waits until the follower has read another page with changes. */
  const follows = async () => {
    const position = follower.next();
    await eventually('the follower continues', async () => follower.next() !== position);
  };
  /** The sum of the committed offsets. */
  const committed = async () => {
    const { admin, groupId, topic } = deployment;
    const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
    return (group?.partitions ?? []).reduce((sum, { offset }) => sum + Number(offset), 0);
  };
  const expectNotStartedOver = () => expect(follower.run(), follower.log()).to.equal(1);

  it(`survives ${KILLS} kills of the projector, and its own kills`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const [step, moment] = STEPS[kill % STEPS.length] as (typeof STEPS)[number];
      let skip = 2 + (kill % 3);
      await new Promise<void>((resolve) => {
        proxy.hook = (at, when) => {
          if (at !== step || when !== moment || skip-- > 0) return lateItems(at, when);
          proxy.hook = () => 'cut';
          isProjectorDown = true;
          void projector.end('SIGKILL').then(() => resolve());
          return 'cut';
        };
      });
      await deployment.removeMembers();
      if (kill % 2 === 0) {
        await follower.kill();
        follower.start();
      }
      proxy.hook = lateItems;
      const before = await committed();
      projector = startProjector();
      await eventually('the projector commits', async () => (await committed()) > before);
      isProjectorDown = false;
    }
    await expectCurrent(1);
  });

  it('reads no item before its change', async () => {
    await pause();
    const [id, other] = [QUIET, OTHER].map(MarketEvents.idOf) as [string, string];
    await publishWithLateItem({ deployment, proxy, follower }, { event: priced(QUIET, 501), id, other });
    await expectCurrent(1);
    proxy.hook = lateItems;
  });

  it('misses no entry that is searchable after a later one', async () => {
    await pause();
    const { changes } = generationNames(deployment.prefix, 1);
    await reads.delay(deployment.client, changes, MarketEvents.idOf(QUIET), async () => {
      await deployment.publish([priced(QUIET, 502)]);
      await deployment.caughtUp();
      await deployment.publish([priced(OTHER, 503)]);
    });
    await expectCurrent(1);
  });

  it('survives a second projector that joins and leaves', async () => {
    const second = startProjector();
    await eventually('both projectors have a partition', async () => {
      const { state, members } = await deployment.admin.describeGroup(deployment.groupId);
      return state === 'Stable' && members.length === 2;
    });
    await follows();
    await second.end('SIGTERM');
    await follows();
    expectNotStartedOver();
  });

  it('survives a restart of Elasticsearch', async () => {
    const { elasticsearch } = await engines();
    isRestarting = true;
    await elasticsearch?.stop();
    await elasticsearch?.start();
    await follows();
    isRestarting = false;
    expectNotStartedOver();
  });

  it('survives a rebuild, and a switch with changed rules while the old generation is late', async () => {
    stricter = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url }, { rules: STRICTER });
    await command(['replay']);
    await command(['verify']);
    await pause();
    await deployment.caughtUp();
    await follower.kill();
    const first = { id: MarketEvents.idOf(QUIET), event: priced(QUIET, 504) };
    const second = { id: MarketEvents.idOf(OTHER), event: priced(OTHER, 505) };
    await switchWithLateEntries(deployment, proxy, { first, second }, (on) =>
      command(['switch', '--allow-explained', '--allow-diff', '1000'], on),
    );
    proxy.hook = lateItems;
    follower.start();
    await expectCurrent(2);
  });

  it('survives a rollback and a prune', async () => {
    await follows();
    await command(['rollback']);
    await expectCurrent(1);
    await follows();
    await command(['verify', '2']);
    await command(['switch', '2', '--allow-explained', '--allow-diff', '1000']);
    await expectCurrent(2);
    await command(['prune', '1']);
    await follows();
    await expectCurrent(2);
  });

  it('ends equal to a crawl, and never missed a removal', async () => {
    isOver = true;
    await Promise.all(background);
    await expectCurrent(2);
    const { longestMs } = removals;
    process.stderr.write(
      `# the copy held a listing whose removal it had passed for at most ${longestMs} ms\n`,
    );
    expect(longestMs).to.be.at.most(REMOVED_WITHIN_MS);
  });
});
