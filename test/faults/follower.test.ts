import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangeEntry, changeNumber, generationNames, type LiveChanges } from '@vitrine/feed-index';
import { MarketEvents, Random } from '@vitrine/fixtures';
import { readLiveChanges } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, type Step, startFaultProxy } from '../support/fault-proxy.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { canRun, FollowerProgram } from '../support/follower-program.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';
import { STRICTER } from '../support/stricter-rules.ts';

const LISTINGS = 300;
const EVENTS_PER_TICK = 10;
const TICK_MS = 100;
const KILLS = Number(process.env.VITRINE_KILLS ?? (process.env.VITRINE_FULL ? 24 : 6));
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
 * A listing that returns and is removed again during a kill of the projector stays in the copy until the next
 * projector writes its entry. A removal that the follower missed would stay for the rest of the test.
 */
const REMOVED_WITHIN_MS = 15_000;
const WATCH_EVERY_MS = 500;
/** Before all dates of the listings, so that the feed contains their whole calendars. */
const BEFORE_ALL_DATES = { FEED_TODAY: '2026-11-20', AVAILABILITY_HORIZON_DAYS: '1096' };
/** One in this number of item writes is late, so that an entry before its item would be read too early. */
const LATE_ITEMS = 4;
const LATE_MS = 1_500;

/**
 * A published follower copies a market that changes all the time, while processes die and the operator
 * rebuilds, switches, rolls back and prunes. After each step, its copy must equal a crawl, without ever starting
 * over.
 */
describe('a follower of docs/start', function () {
  this.timeout(900_000);
  const program = canRun('follow.py') ? 'follow.py' : 'follow.ts';
  const market = new MarketEvents();
  const random = new Random(SEED);
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: ServiceProcess;
  let stricter: RunningProjector | undefined;
  let feed: Feed;
  let follower: FollowerProgram;
  let isOver = false;
  let isPaused = false;
  /** Whether every item write is late, instead of one in LATE_ITEMS. */
  let areAllLate = false;
  /** Whether Elasticsearch restarts. */
  let isRestarting = false;
  const background: Promise<void>[] = [];
  let longest = 0;

  before(async () => {
    process.stderr.write(`# ${program}, VITRINE_SEED=${SEED}\n`);
    deployment = await createDeployment('follower', 2);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = startProjector();
    await deployment.publish(Array.from({ length: LISTINGS }, (_, listing) => market.snapshot(listing)));
    await deployment.caughtUp();
    feed = await startFeed(deployment, { CACHE_BYTES: '8000000', ...BEFORE_ALL_DATES });
    follower = new FollowerProgram(program, feed.base);
    follower.start();
    await eventually('the export is complete', async () => follower.next() !== undefined);
    background.push(change(), watch());
    // The last test awaits them. Until then, a failure must not end the process.
    for (const work of background) work.catch(() => undefined);
  });
  after(async () => {
    isOver = true;
    proxy.hook = () => 'pass';
    await Promise.allSettled(background);
    await follower?.close();
    await feed?.stop();
    await stricter?.stop();
    await projector.end('SIGKILL');
    await proxy.close();
    await deployment.close();
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
  /** The listings that differ between the copy and a crawl. */
  const differing = async (): Promise<string[]> => {
    const crawled = await feed.crawl('/ai-feed');
    expect(crawled.length).to.be.above(50);
    const expected = new Map(crawled.map((item) => [item.id, JSON.stringify(item)]));
    const copy = new Map(
      [...follower.copy()].map(([id, data]) => {
        const { ad_type: _, published_at: __, ...item } = JSON.parse(data) as Record<string, unknown>;
        return [id, JSON.stringify(item)];
      }),
    );
    return [...new Set([...copy.keys(), ...expected.keys()])].filter(
      (id) => copy.get(id) !== expected.get(id),
    );
  };
  /**
   * Changes every listing while all item writes are late, and then pauses the events until the copy equals a
   * crawl. During the pause, no later event of a listing can repair a change that the follower has missed.
   */
  async function expectCurrent(generation: number): Promise<void> {
    isPaused = true;
    areAllLate = true;
    await publishing;
    await deployment.publish(Array.from({ length: LISTINGS }, (_, listing) => randomEvent(listing)));
    await deployment.caughtUp(120_000, generation);
    areAllLate = false;
    await eventually('the copy equals a crawl', async () => (await differing()).length === 0).catch(
      async () => {
        expect(await differing(), follower.log()).to.deep.equal([]);
      },
    );
    isPaused = false;
    expectNotStartedOver();
  }
  const ifRestarting = (error: unknown): undefined => {
    if (!isRestarting) throw error;
  };
  /**
   * The listings in the copy although the follower has passed their removal. An item may be newer than its
   * entry, so only listings without an item count.
   */
  async function missed({ epoch, generation }: LiveChanges): Promise<string[]> {
    const place = Number(new URL(follower.next() as string).searchParams.get('afterChangeNumber'));
    const ids = [...follower.copy().keys()];
    const { changes, items } = generationNames(deployment.prefix, generation);
    const entries = await deployment.client.mget<ChangeEntry>({ index: changes, ids });
    const passed = entries.docs.flatMap((doc) => {
      if (!('_source' in doc) || doc._source?.state !== 'deleted') return [];
      return changeNumber(epoch, doc._seq_no as number) <= place ? [doc._id] : [];
    });
    if (passed.length === 0) return [];
    const { docs } = await deployment.client.mget({ index: items, ids: passed, _source: false });
    return docs.flatMap((doc) => ('found' in doc && doc.found ? [] : [doc._id]));
  }
  /** Measures how long the copy holds listings whose removal the follower has passed. */
  async function watch(): Promise<void> {
    let held = new Map<string, number>();
    for (; !isOver; await sleep(WATCH_EVERY_MS)) {
      const live = await readLiveChanges(deployment.client, deployment.prefix).catch(ifRestarting);
      const now = Date.now();
      const ids = (live && (await missed(live).catch(ifRestarting))) ?? [];
      held = new Map(ids.map((id) => [id, held.get(id) ?? now]));
      for (const since of held.values()) longest = Math.max(longest, now - since);
    }
  }
  const command = async (...args: string[]) => {
    const { code, output } = await cli(deployment, args, { rules: STRICTER });
    expect(code, `${args.join(' ')}: ${output}`).to.be.oneOf([0, 3]);
  };
  /** Delays some writes of items, and lets the projector die when it reaches a step. */
  const lateItems = async (step: Step, moment: 'before' | 'after') => {
    const isLate = areAllLate || random.integer(1, LATE_ITEMS) === 1;
    if (step === 'write items' && moment === 'before' && isLate) await sleep(LATE_MS);
    return 'pass' as const;
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
          void projector.end('SIGKILL').then(() => resolve());
          return 'cut';
        };
      });
      if (kill % 2 === 0) {
        await follower.kill();
        follower.start();
      }
      proxy.hook = lateItems;
      projector = startProjector();
    }
    await expectCurrent(1);
  });

  it('survives a second projector that joins and leaves', async () => {
    const second = startProjector();
    await sleep(10_000);
    await second.end('SIGTERM');
    expectNotStartedOver();
  });

  it('survives a restart of Elasticsearch', async () => {
    const { elasticsearch } = await engines();
    isRestarting = true;
    await elasticsearch?.stop();
    await elasticsearch?.start();
    const position = follower.next();
    await eventually('the follower continues', async () => follower.next() !== position, 120_000);
    isRestarting = false;
    expectNotStartedOver();
  });

  it('survives a rebuild, a switch with changed rules, a rollback and a prune', async () => {
    stricter = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url }, { rules: STRICTER });
    await command('replay');
    await command('verify');
    await follower.kill();
    await command('switch', '--allow-explained', '--allow-diff', '1000');
    follower.start();
    await expectCurrent(2);
    await sleep(2_000);
    await command('rollback');
    await expectCurrent(1);
    await sleep(2_000);
    await command('verify', '2');
    await command('switch', '2', '--allow-explained', '--allow-diff', '1000');
    await expectCurrent(2);
    await command('prune', '1');
    await sleep(2_000);
    await expectCurrent(2);
  });

  it('ends equal to a crawl, and never missed a removal', async () => {
    isOver = true;
    await Promise.all(background);
    await expectCurrent(2);
    process.stderr.write(`# the copy held a listing whose removal it had passed for at most ${longest} ms\n`);
    expect(longest).to.be.at.most(REMOVED_WITHIN_MS);
  });
});
