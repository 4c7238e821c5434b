import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { cli } from '../support/cli.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type Feed, type FeedPage, startFeed } from '../support/feed-crawl.ts';
import { MarketEvents } from '../support/market-events.ts';
import { modelOf } from '../support/model.ts';
import { type ServiceProcess, spawnService } from '../support/service-process.ts';

const LISTINGS = Number(process.env.VITRINE_LISTINGS ?? 100_000);
const PAGE_SIZE = 100;
/** Of so many listings one changes, goes and comes back all the while. */
const RESTLESS = 4;
const CHANGES_A_SECOND = 100;

describe(`replay of ${LISTINGS.toLocaleString('en')} listings, under live changes and readers`, function () {
  this.timeout(900_000);
  let deployment: Deployment;
  let feed: Feed;
  let projector: ServiceProcess;
  const market = new MarketEvents();
  const isRestless = (listing: number) => listing % RESTLESS === 0;
  const running = new AbortController();
  const background: Promise<void>[] = [];
  const read = { pages: 0, crawls: 0 };

  before(async () => {
    deployment = await createDeployment('replay-live', 4);
    const started = Date.now();
    for (let from = 0; from < LISTINGS; from += 5_000)
      await deployment.publish(Array.from({ length: Math.min(5_000, LISTINGS - from) }, (_, i) => market.snapshot(from + i)));
    projector = spawnService('projector', deployment.env);
    await deployment.caughtUp(300_000);
    process.stderr.write(`# ${LISTINGS} listings are live after ${Math.round((Date.now() - started) / 1_000)} s\n`);
    feed = await startFeed(deployment);
  });
  after(async () => {
    running.abort();
    await Promise.allSettled(background);
    await feed?.stop();
    await projector?.end('SIGKILL');
    await deployment.close();
  });

  /** Changes, removals and listings that come back, until the end; every event is one of the model's. */
  const live = async () => {
    for (let turn = 0; !running.signal.aborted; turn++) {
      const events = Array.from({ length: CHANGES_A_SECOND / 10 }, (_, i) => {
        const listing = (RESTLESS * (turn * 37 + i * 1_009)) % LISTINGS;
        if ((turn + i) % 5 === 0) return market.removed(listing);
        return (turn + i) % 5 === 1
          ? market.snapshot(listing)
          : market.changed(listing, { title: `Casa ${listing}, turno ${turn}`, price: 50 + (turn % 400) });
      });
      await deployment.publish(events);
      await sleep(100);
    }
  };
  const all = Array.from({ length: LISTINGS }, (_, listing) => listing);
  // Every seventh lacks a price, and is in no feed until somebody sets one.
  const steady = all.filter((listing) => !isRestless(listing) && listing % 7 > 0).map((listing) => MarketEvents.idOf(listing));
  const isSteady = new Set(steady);
  /** Newest first. */
  const steadyInOrder = steady.toReversed();

  /** Page after page by number, anywhere: full where it must be, each item once, never fewer than what never changes. */
  const pageReader = async () => {
    for (let turn = 0; !running.signal.aborted; turn++) {
      const number = 1 + ((turn * 7_919) % Math.floor(steady.length / PAGE_SIZE));
      const { data, meta } = await feed.page(`/public-feed?pageSize=${PAGE_SIZE}&page=${number}`);
      expect(meta.total, `total of page ${number}`).to.be.within(steady.length, LISTINGS);
      expect(data, `page ${number}`).to.have.length(PAGE_SIZE);
      expect(new Set(data.map(({ id }) => id)), `page ${number}`).to.have.property('size', PAGE_SIZE);
      const order = data.map(({ id }) => String(id));
      expect(order, `page ${number}`).to.deep.equal(order.toSorted().toReversed());
      read.pages++;
    }
  };

  /** The whole feed by cursor, again and again: nothing that never changed is missed or comes twice, in order. */
  const cursorReader = async () => {
    while (!running.signal.aborted) {
      const found: string[] = [];
      for (let cursor: string | undefined = '*'; cursor; ) {
        const query = new URLSearchParams({ pageSize: String(PAGE_SIZE), cursor });
        const { data, meta }: FeedPage = await feed.page(`/public-feed?${query}`);
        found.push(...data.map(({ id }) => String(id)).filter((id) => isSteady.has(id)));
        cursor = meta.nextCursor;
        if (running.signal.aborted) return;
      }
      expect(found.length, 'steady items of a crawl').to.equal(steadyInOrder.length);
      expect(
        found.findIndex((id, i) => id !== steadyInOrder[i]),
        'first wrong item of a crawl',
      ).to.equal(-1);
      read.crawls++;
    }
  };

  const timed = async (args: string[]) => {
    const started = Date.now();
    const result = await cli(deployment, args);
    process.stderr.write(`# ${args.join(' ')}: ${((Date.now() - started) / 1_000).toFixed(1)} s\n`);
    expect(result.code, `${result.stderr}${result.stdout.slice(0, 3_000)}`).to.equal(0);
    return result;
  };

  it('replay, verify, switch, rollback: readers see no error, no empty or mixed page', async () => {
    // A reader that fails ends the test at once, whatever is under way.
    const failed = Promise.withResolvers<never>();
    for (const work of [live, pageReader, cursorReader]) background.push(work());
    for (const work of background) work.catch(failed.reject);
    const operator = async () => {
      await timed(['replay']);
      const verified = await timed(['verify']);
      expect(verified.json).to.deep.include({ live: 1, generation: 2, differences: [] });
      await timed(['switch']);
      await sleep(5_000);
      await timed(['rollback']);
      await sleep(3_000);
      // The first one yielded to the readers; with a rate that it never reaches, this one does not.
      await timed(['replay', '--from', 'states', '--rate', '1000000']);
      await timed(['verify', '3']);
      await timed(['switch', '3']);
      await timed(['prune', '1']);
      const { crawls } = read;
      while (read.crawls === crawls) await sleep(250);
    };
    await Promise.race([operator(), failed.promise]);
    process.stderr.write(`# ${read.pages} pages and ${read.crawls} crawls meanwhile, ${market.sent.length - LISTINGS} live events\n`);
    expect(read.pages).to.be.above(100);
    expect(read.crawls).to.be.above(1);
  });

  it('afterwards both generations equal the model', async () => {
    running.abort();
    await Promise.all(background);
    const { items } = modelOf(market.sent);
    for (const generation of [2, 3]) {
      await deployment.caughtUp(120_000, generation);
      const held = await deployment.items(generation);
      expect(held.size, `generation ${generation}`).to.equal(items.size);
      // One by one: a deep comparison of everything at once would take minutes to say what differs.
      for (const [id, item] of held) if (JSON.stringify(item) !== JSON.stringify(items.get(id))) expect(item, id).to.deep.equal(items.get(id));
    }
  });
});
