import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { CURRENT_ITEMS, generationNames, ITEMS_3 } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { RULES } from '@vitrine/listing';
import { createIndices, ensureFirstGeneration, versionsWith } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { PAGE_SIZE, startChurn } from '../support/churn.ts';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { type BalancedFeed, type FeedPage, startBalancedFeed } from '../support/feed-clients.ts';
import { previousRelease, type ReleaseCode } from '../support/previous-release.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const LISTINGS = process.env.VITRINE_FULL === '1' ? 20_000 : 1_000;
const TODAY = '2026-12-01';
/** A date of the calendars, with the dates around it that are not past. Each date has one price. */
const DATE = '2026-12-02';
const PRICES: readonly (readonly [date: string, price?: number])[] = [
  ['2026-12-01', 100],
  ['2026-12-02', 101],
  ['2026-12-03', 102],
  ['2026-12-04'],
  ['2026-12-05'],
];
const SERVICES = 2;
/** A time that is long enough for several reads of the whole feed on a busy machine. */
const SHOWN_WITHIN_MS = 60_000;

type Summary = { date: string; items: number; min_price?: number; max_price?: number };
const availabilityOf = ({ meta }: FeedPage) => (meta as { availability?: Summary[] }).availability ?? [];

/** The steps of docs/operate/upgrading.md, from code that has only the mappings of 1.1.0 to this code. */
describe('an upgrade from items mapping 3 to 4, while readers send requests and listings change', () => {
  const market = startChurn({ listings: LISTINGS, changesPerSecond: 20, readEveryMs: 50 });
  const stopped = new AbortController();
  let previous: ReleaseCode;
  let deployment: Deployment;
  let feed: BalancedFeed;
  const projectors: ServiceProcess[] = [];
  let summariesRead = 0;

  before(async () => {
    previous = previousRelease();
    deployment = await createDeployment('upgrade-mapping', 2);
    await market.publish(deployment);
    projectors.push(startService('projector', deployment.env, [], previous.root));
    await deployment.caughtUp();
    feed = await startBalancedFeed(SERVICES, queryEnv(), previous.root);
  });
  after(async () => {
    stopped.abort();
    await market.stop();
    await feed?.stop();
    for (const projector of projectors) await projector.end('SIGKILL');
    await deployment?.close();
    previous?.remove();
  });

  const queryEnv = () => ({
    ...deployment.env,
    FEED_TODAY: TODAY,
    RATE_LIMIT: 'off',
    CACHE_FRESH_SECONDS: '1',
  });
  /** Runs a command from a release. @param root absent for this release */
  const runOf = async (root: string | undefined, ...args: string[]): Promise<Record<string, unknown>> => {
    const command = startService('cli', deployment.env, [...args, '--json'], root);
    let stdout = '';
    command.child.stdout?.on('data', (text: Buffer) => {
      stdout += text;
    });
    expect(await command.exited, `${args.join(' ')}: ${command.log().slice(-2_000)}`).to.equal(0);
    return JSON.parse(stdout);
  };
  const run = (...args: string[]) => runOf(undefined, ...args);

  let filtered = 0;
  /** The status of a page with a filter of the new mapping. No such page is in a cache. */
  const newFilter = () => feed.status(`/ai-feed?state=PR&pageSize=${1 + (filtered++ % 100)}`);
  /** Reads dated pages. A search that does not fit the mapping would show other prices or counts. */
  const readDates = async () => {
    const offersOn = (ids: readonly string[], day: number) =>
      ids.filter((id) => (Number(id.slice(2)) + day) % 3 > 0).length;
    const all = Array.from({ length: LISTINGS }, (_, listing) => MarketEvents.idOf(listing));
    while (!stopped.signal.aborted) {
      const page = await feed.page(`/ai-feed?date=${DATE}&pageSize=20`);
      for (const { availability } of page.data)
        expect(availability).to.deep.equal([{ date: DATE, available: true, price: 101 }]);
      const summaries = availabilityOf(page);
      expect(summaries.map(({ date, min_price, max_price }) => [date, min_price, max_price])).to.deep.equal(
        PRICES.map(([date, price]) => [date, price, price]),
      );
      for (const [day, { items }] of summaries.entries())
        expect(items, `items on day ${day}`).to.be.within(
          PRICES[day]?.[1] ? offersOn(market.steady, day) : 0,
          PRICES[day]?.[1] ? offersOn(all, day) : 0,
        );
      summariesRead++;
      await sleep(50);
    }
  };

  /** The whole agent feed and its counts by date, as a client reads them. */
  const readAll = async ({ page: readPage }: Pick<BalancedFeed, 'page'> = feed) => {
    const items: unknown[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { data, meta } = await readPage(`/ai-feed?pageSize=${PAGE_SIZE}&page=${page}`);
      items.push(...data);
      pages = meta.pageCount;
    }
    return { items, summaries: availabilityOf(await readPage(`/ai-feed?date=${DATE}&pageSize=1`)) };
  };
  /** Pauses the changes, and waits until readers see the fold of all events. */
  const expectModel = (when: string, ...generations: number[]) =>
    market.withoutChanges(async () => {
      const held = [...market.model().items.values()].toSorted(
        (a, b) => b.published_at - a.published_at || (a.id < b.id ? -1 : 1),
      );
      const summaries = PRICES.map(([date, price]) => {
        const items = held.filter(({ calendar }) =>
          calendar.some((entry) => entry.date === date && entry.available),
        ).length;
        return { date, items, ...(items > 0 && { min_price: price, max_price: price }) };
      });
      const expected = {
        items: held.map(({ feed_item, calendar }) => ({ ...feed_item, availability: calendar })),
        summaries,
      };
      for (const generation of generations) await deployment.caughtUp(undefined, generation);
      const isShown = async () => JSON.stringify(await readAll()) === JSON.stringify(expected);
      await eventually(`the model ${when}`, isShown, SHOWN_WITHIN_MS, 500).catch(async () => {
        const { items, summaries } = await readAll();
        expect(summaries, when).to.deep.equal(expected.summaries);
        expect(items.length, when).to.equal(expected.items.length);
        // The test compares item by item, because chai would take minutes to format a difference of all
        // items.
        for (const [i, item] of items.entries())
          if (JSON.stringify(item) !== JSON.stringify(expected.items[i]))
            expect(item, `item ${i} ${when}`).to.deep.equal(expected.items[i]);
      });
    });

  /** Replaces the query services, one after the other. @param root absent for this release */
  const replaceServices = async (root?: string) => {
    for (let service = 0; service < SERVICES; service++) await feed.replace(service, root);
  };
  /** Starts a projector, and ends the old one when the group has both. @param root absent for this release */
  const replaceProjector = async (root?: string) => {
    const old = projectors.at(-1);
    projectors.push(startService('projector', deployment.env, [], root));
    await eventually('two projectors', async () => {
      const group = await deployment.admin.describeGroup(deployment.groupId);
      return group.members.length === 2;
    });
    expect(await old?.end('SIGTERM')).to.equal(0);
  };
  /** A crawl by cursor that begins before `change` and ends after it. It must miss no item that stays. */
  const crawlAcross = async (change: () => Promise<unknown>) => {
    const found: string[] = [];
    let cursor: string | undefined = '*';
    for (let page = 0; cursor; page++) {
      if (page === 2) await change();
      const { data, meta }: FeedPage = await feed.page(
        `/ai-feed?${new URLSearchParams({ pageSize: String(PAGE_SIZE), cursor })}`,
      );
      found.push(...data.map(({ id }) => String(id)));
      cursor = meta.nextCursor;
    }
    const steady = new Set(market.steady);
    expect(found.filter((id) => steady.has(id))).to.deep.equal(market.steady);
  };

  it('no read fails, cursors continue, and the feed equals the model before, during and after', async () => {
    await market.during(deployment, feed.page, async () => {
      const reading = readDates();
      const failed = new Promise<never>((_, reject) => reading.catch(reject));
      const upgrade = async () => {
        await expectModel('of the previous release', 1);

        // 1. The query services, one after the other.
        await replaceServices();
        await expectModel('after the query services', 1);
        expect(await newFilter(), 'on mapping 3').to.equal(503);

        // 2. The projectors. Meanwhile, both versions write the same generation.
        await replaceProjector();
        await expectModel('after the projectors', 1);
        expect(await run('verify', '--self')).to.deep.include({ generation: 1, disagreements: [] });
        const explained = (await run('explain', market.steady[0] as string)) as {
          generations: Record<string, unknown>[];
        };
        expect(explained.generations[0]).to.include({ number: 1, agrees: true });
        expect(explained.generations[0]).not.to.have.property('otherVersions');

        // 3. The generation.
        expect(await run('replay', '--from', 'states')).to.deep.equal({
          generation: 2,
          hasProjector: true,
        });
        const { generations } = await registryOf(deployment);
        expect(generations.map(({ versions }) => versions.items)).to.deep.equal([
          ITEMS_3.version,
          CURRENT_ITEMS.version,
        ]);
        await expectModel('beside the new generation', 1, 2);
        expect(await run('verify')).to.deep.include({ live: 1, generation: 2, differences: [] });
        await crawlAcross(() => run('switch'));
        await expectModel('after the switch', 1, 2);
        await eventually('the new filter', async () => (await newFilter()) === 200, 120_000);
        await crawlAcross(() => run('rollback'));
        await expectModel('after the rollback', 1, 2);
        await eventually('no new filter', async () => (await newFilter()) === 503, 120_000);
        expect(await run('verify', '1', '--self')).to.deep.include({ generation: 1, disagreements: [] });
        await run('verify', '2');
        await crawlAcross(() => run('switch', '2'));
        await expectModel('after the second switch', 1, 2);

        // Back to the previous release, and forward again.
        await crawlAcross(() => run('rollback'));
        await replaceProjector(previous.root);
        await replaceServices(previous.root);
        await expectModel('of the previous release after a rollback', 1);
        expect(await run('prune', '2')).to.deep.equal({ pruned: [2] });
        await replaceServices();
        await replaceProjector();
        await expectModel('of this release after the way back', 1);
        await run('replay', '--from', 'states');
        expect(await run('verify')).to.deep.include({ live: 1, generation: 3, differences: [] });
        await crawlAcross(() => run('switch'));
        await expectModel('after the switch to the third generation', 1, 3);
        expect(await run('prune')).to.deep.equal({ pruned: [1] });
      };
      await Promise.race([upgrade(), failed]);
      const crawls = market.read.crawls;
      await eventually('a crawl after the upgrade', async () => market.read.crawls > crawls);
      stopped.abort();
      await reading;
    });
    // A busy machine may overload a service. No other refusal is allowed.
    const { refused, overloaded, cut } = feed.note();
    expect({ refused: refused - overloaded, cut }).to.deep.equal({ refused: 0, cut: 0 });
    expect(market.read.pages).to.be.above(50);
    expect(market.read.crawls).to.be.above(2);
    expect(summariesRead).to.be.above(50);
    expect(market.changes()).to.be.above(100);
    await market.expectModel(deployment, [3]);
  });

  it('a query service of the previous release shows no wrong count of the new mapping', async () => {
    const old = await startBalancedFeed(1, queryEnv(), previous.root);
    try {
      expect((await old.page('/ai-feed')).data).to.have.length(20);
      expect((await old.page(`/public-feed?date=${DATE}`)).data).to.have.length(20);
      // No earlier request had this page size, so no cache holds this page from the time of the changes.
      const dated = `/ai-feed?date=${DATE}&pageSize=19`;
      expect(availabilityOf(await old.page(dated))).to.deep.equal(availabilityOf(await feed.page(dated)));
    } finally {
      await old.stop();
    }
  });

  it('after prune, a replay with the previous release leads back to it', async () => {
    projectors.push(startService('projector', deployment.env, [], previous.root));
    await runOf(previous.root, 'replay', '--from', 'states');
    expect(await run('verify')).to.deep.include({ live: 3, generation: 4, differences: [] });
    await run('switch');
    const oldFeed = await startBalancedFeed(1, queryEnv(), previous.root);
    try {
      // While a service refreshes a page, it may serve the older one.
      const isSame = async () => {
        const [expected, shown] = [await readAll(feed), await readAll(oldFeed)];
        return expected.items.length === market.model().items.size && isDeepStrictEqual(shown, expected);
      };
      await eventually('the same pages from both releases', isSame, SHOWN_WITHIN_MS, 500);
    } finally {
      await oldFeed.stop();
    }
  });
});

describe('indices that are older than the registry', () => {
  it('are adopted with the items mapping that they have', async () => {
    const deployment = await createDeployment('adopted');
    try {
      const { client, prefix } = deployment;
      const settings = { INDEX_PREFIX: prefix, INDEX_SHARDS: 1, INDEX_REPLICAS: '0' };
      const names = generationNames(prefix, 1);
      await createIndices(client, settings, names, { items: ITEMS_3.version }, 'live');
      await ensureFirstGeneration(client, settings, versionsWith(RULES), async () => 0);
      const { generations } = await registryOf(deployment);
      const { changes: _, ...versions } = versionsWith(RULES);
      expect(generations.map(({ number, versions }) => [number, versions])).to.deep.equal([
        [1, { ...versions, items: ITEMS_3.version }],
      ]);
    } finally {
      await deployment.close();
    }
  });
});
