import { setTimeout as pass } from 'node:timers/promises';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask } from '../contract/http-answer.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually, metricOf } from '../support/service-process.ts';

/** Midnight between YESTERDAY and TODAY in São Paulo. */
const MIDNIGHT = Date.parse(`${TODAY}T03:00:00Z`);
const YESTERDAY = day(-1);
/** No page becomes stale by its age during the test. */
const FRESH_SECONDS = 3_600;
const CLIENTS = 6;

/** SAME: pages with equal content on both dates. CHANGED: pages whose content differs. */
const SIZES = Array.from({ length: 15 }, (_, n) => n + 1);
const SAME = [
  ...SIZES.map((size) => `/public-feed?pageSize=${size}`),
  `/public-feed?date=${day(3)}`,
  `/public-feed?date=${TODAY}`,
  `/ai-feed?date=${day(9)}`,
];
const CHANGED = [
  ...SIZES.map((size) => `/ai-feed?pageSize=${size}`),
  `/public-feed?date=${YESTERDAY}`,
  `/ai-feed?date=${day(1)}`,
];

interface Seen {
  path: string;
  status: number;
  age: number;
  text: string;
  /** `isAfter`: the request began after midnight. `isBefore`: the response arrived before midnight. */
  isAfter: boolean;
  isBefore: boolean;
}

describe('query service: midnight', () => {
  let proxy: FaultProxy;
  let deployment: QueryDeployment;
  let now = 0;
  const get = async (path: string): Promise<Seen> => {
    const isAfter = now >= MIDNIGHT;
    const { status, headers, text } = await ask(`${deployment.origin}/api${path}`);
    return { path, status, age: Number(headers.age ?? 0), text, isAfter, isBefore: now < MIDNIGHT };
  };
  /** Sends the requests one after the other, so that the service refuses none of them. */
  const getAll = async (paths: string[]): Promise<Map<string, Seen>> => {
    const pages = new Map<string, Seen>();
    for (const path of paths) pages.set(path, await get(path));
    expect(new Set([...pages.values()].map(({ status }) => status))).to.deep.equal(new Set([200]));
    return pages;
  };
  const pagesMade = () => metricOf(deployment.admin, 'elasticsearch_search_duration_seconds_count');
  /** The page without `generatedAt`. */
  const contentOf = ({ text }: Seen) => text.replace(/"generatedAt":"[^"]*"/, '');
  const firstDate = ({ availability }: { availability: { date: string }[] }) => availability[0]?.date;
  /** Starts the service an hour before midnight, and requests every page once. */
  const begin = async (url = proxy.url) => {
    now = MIDNIGHT - 3_600_000;
    deployment = await startQuery({
      env: {
        ELASTICSEARCH_URL: url,
        CACHE_FRESH_SECONDS: String(FRESH_SECONDS),
        // Every refresh begins at once. A refresh that waits for a place may fail, and is repeated later.
        SEARCH_CONCURRENCY: '64',
      },
      clock: () => now,
    });
    await deployment.createIndex(generateItems(300));
    await eventually('ready', async () => (await fetch(`${deployment.admin}/health/ready`)).ok);
    return getAll([...SAME, ...CHANGED]);
  };

  before(async () => {
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
  });
  afterEach(async () => {
    proxy.become('open');
    await deployment.close();
  });
  after(() => proxy?.close());

  it('refreshes under load only the pages that depend on the date, and each page only once', async () => {
    const evening = await begin();
    const [madeBefore, searchesBefore] = [await pagesMade(), await deployment.searches()];
    const paths = [...SAME, ...CHANGED];
    const seen: Seen[] = [];
    let [isOver, next] = [false, 0];
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) seen.push(await get(paths[next++ % paths.length] ?? ''));
    });
    const rounds = async (isAfter: boolean) => {
      const enough = () => seen.filter((page) => page.isAfter === isAfter).length >= 3 * paths.length;
      while (!enough()) await pass(20);
    };
    now = MIDNIGHT - 1;
    await rounds(false);
    now = MIDNIGHT;
    await rounds(true);
    isOver = true;
    await Promise.all(clients);

    expect(new Set(seen.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const [before, after] = [seen.filter(({ isBefore }) => isBefore), seen.filter(({ isAfter }) => isAfter)];
    // The service serves a stale page while its refresh runs, so the last refreshes may outlive the clients.
    await eventually(
      'a search for every changed page',
      async () => (await pagesMade()) - madeBefore >= CHANGED.length,
    );
    expect((await pagesMade()) - madeBefore, 'pages searched').to.equal(CHANGED.length);
    // A page needs one search, plus one or two searches if its total and its offers are not counted yet.
    expect((await deployment.searches()) - searchesBefore, 'searches of Elasticsearch').to.be.within(
      CHANGED.length,
      4 * CHANGED.length,
    );

    const morning = await getAll(paths);
    const isOf = (pages: Map<string, Seen>, page: Seen) =>
      contentOf(page) === contentOf(pages.get(page.path) as Seen);
    const differing = paths.filter((path) => !isOf(evening, morning.get(path) as Seen));
    expect(differing, 'pages whose content differs').to.have.members(CHANGED);
    expect(
      before.filter((page) => !isOf(evening, page)),
      'responses before midnight that are not the page of yesterday',
    ).to.deep.equal([]);
    const ofYesterday = after.filter((page) => CHANGED.includes(page.path) && !isOf(morning, page));
    expect(ofYesterday.filter(({ age }) => age < FRESH_SECONDS).map(({ path }) => path)).to.deep.equal([]);
    expect(after.filter((page) => SAME.includes(page.path) && page.age >= FRESH_SECONDS)).to.deep.equal([]);
  });

  it('treats a page whose search spans midnight as a page of yesterday', async () => {
    const faults = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    try {
      await begin(faults.url);
      const path = '/ai-feed?pageSize=100';
      now = MIDNIGHT - 1;
      faults.hook = (step, moment) => {
        // The readiness probe and the background counts also search.
        if (step === 'read page' && moment === 'before') now = MIDNIGHT;
        return 'pass';
      };
      const early = await get(path);
      expect([early.isAfter, early.isBefore, early.age]).to.deep.equal([false, false, 0]);
      expect(JSON.parse(early.text).data.map(firstDate)).to.include(YESTERDAY);
      const late = await eventually('a page of today', async () => {
        const page = await get(path);
        expect(page.age >= FRESH_SECONDS, 'Age of a page of yesterday').to.equal(
          contentOf(page) === contentOf(early),
        );
        return page.age < FRESH_SECONDS && page;
      });
      expect(JSON.parse(late.text).data.map(firstDate)).to.include(TODAY).and.not.to.include(YESTERDAY);
    } finally {
      await faults.close();
    }
  });

  it('serves pages of yesterday as stale while Elasticsearch is down, and the other pages as fresh', async () => {
    const evening = await begin();
    proxy.become('refuse');
    now = MIDNIGHT;
    for (let round = 0; round < 2; round++) {
      const night = await getAll([...SAME, ...CHANGED]);
      for (const page of night.values()) {
        expect(contentOf(page), page.path).to.equal(contentOf(evening.get(page.path) as Seen));
        expect(page.age >= FRESH_SECONDS, `${page.path}: ${page.age}`).to.equal(CHANGED.includes(page.path));
      }
    }
    proxy.become('open');
    const agents = '/ai-feed?pageSize=1';
    const renewed = await eventually('a page of today', async () => {
      const page = await get(agents);
      return page.age < FRESH_SECONDS && page;
    });
    expect(contentOf(renewed)).not.to.equal(contentOf(evening.get(agents) as Seen));
  });
});
