import { pagingItems } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { itemsIndex, searchesOf, slowSearches } from '../support/items-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually, metricOf } from '../support/service-process.ts';

const ITEMS = 60_000;

/** Counts the points in time that a service opens and closes through a proxy. */
const watchPointsInTime = (proxy: FaultProxy) => {
  const seen = { opened: 0, closed: 0 };
  proxy.hook = (_step, moment, { method, path, answer }) => {
    // A point in time of a closed index cannot be opened.
    if (moment === 'after' && path.includes('/_pit?') && answer?.includes('"id"')) seen.opened++;
    if (moment === 'before' && method === 'DELETE' && path.startsWith('/_pit')) seen.closed++;
    return 'pass';
  };
  return seen;
};

/**
 * A search that ignores its cancellation keeps its slot for at least this long: 500 ms, then 2 s, minus a
 * margin.
 */
const LONGEST_HELD_MS = 2_400;
/** A page times out later, after 4 s. */
const EARLY_MS = 3_000;
/** Each deep page uses a new point, so that its search is new too. */
let points = 0;
const deepAtNewPoint = () => `/api/public-feed?page=500&lat=-23.5&lng=${-46 - ++points / 100}`;

describe('query service: searches in Elasticsearch', () => {
  let deployment: QueryDeployment;
  let proxy: FaultProxy;
  let seen: ReturnType<typeof watchPointsInTime>;
  let index: string;
  const get = (path: string, signal?: AbortSignal) =>
    fetch(`${deployment.origin}${path}`, signal ? { signal } : {});
  const status = async (path: string) => (await get(path)).status;
  const searches = async () => searchesOf(deployment.elasticsearch, deployment.prefix);
  const running = () => metricOf(deployment.admin, 'searches_running');
  const openPointsInTime = async () =>
    Number(
      (await deployment.elasticsearch.indices.stats({ index, metric: 'search' })).indices?.[index]?.total
        ?.search?.open_contexts,
    );

  before(async () => {
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    seen = watchPointsInTime(proxy);
    deployment = await startQuery({ env: { ELASTICSEARCH_URL: proxy.url, CACHE_BYTES: '0' } });
    index = itemsIndex(deployment.prefix, 1);
    await deployment.createIndex(pagingItems(ITEMS));
    await eventually('served', async () => (await status('/api/public-feed')) === 200);
  });
  after(async () => {
    await deployment?.close();
    await proxy?.close();
  });

  it('replaces a lost point in time at once, without an error for the client', async () => {
    for (const path of ['/api/public-feed?page=2', '/api/public-feed?page=900', deepAtNewPoint()]) {
      expect((await fetchAccepted(`${deployment.origin}/api/public-feed`)).status).to.equal(200);
      const { opened } = seen;
      expect(opened).to.be.above(0);
      // Closing an index ends only this index's points in time.
      await deployment.elasticsearch.indices.close({ index });
      await deployment.elasticsearch.indices.open({ index });
      await deployment.elasticsearch.cluster.health({ index, wait_for_status: 'yellow' });
      expect(await openPointsInTime()).to.equal(0);
      expect(await status(path), path).to.equal(200);
      expect(seen.opened - opened, `points in time opened for ${path}`).to.equal(1);
    }
  });

  it('treats a closed index as an outage, not as a defect of the service', async () => {
    await deployment.elasticsearch.indices.close({ index });
    try {
      const response = await get('/api/public-feed?page=3');
      expect(response.status).to.equal(503);
      expect(response.headers.get('retry-after')).to.not.equal(null);
    } finally {
      await deployment.elasticsearch.indices.open({ index });
    }
    await eventually('served again', async () => (await status('/api/public-feed')) === 200);
  });

  it('closes its point in time at shutdown', async () => {
    const between = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    const own = watchPointsInTime(between);
    const other = await startQuery({
      env: { ELASTICSEARCH_URL: between.url, INDEX_PREFIX: deployment.prefix },
    });
    try {
      await fetch(`${other.origin}/api/public-feed`).then((response) => response.body?.cancel());
      expect(own.opened).to.be.above(0);
    } finally {
      await other.close();
    }
    // Even without a request to close it, the point in time would end with its keep-alive.
    await eventually('it was closed', async () => own.closed === own.opened);
    await eventually('no open point in time', async () => (await openPointsInTime()) === 0);
    await between.close();
  });

  it("cancels a disconnected client's searches, and keeps their slots until they end", async () => {
    await slowSearches(deployment.elasticsearch, deployment.prefix);
    // Pages share the point in time of the fast searches for 5 s.
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    /**
     * Requests a page, disconnects, and waits until Elasticsearch has ended the page's searches.
     * @returns the milliseconds of this wait, and whether Elasticsearch called such a search cancelled before
     * the page would have timed out
     */
    const leave = async (path: string): Promise<{ ms: number; wasCancelled: boolean }> => {
      let wasCancelled = false;
      const leaving = new AbortController();
      const left = get(path, leaving.signal).catch(() => 'left');
      await eventually(`searches of ${path}`, async () => (await searches()).length > 0, 120_000, 10);
      leaving.abort();
      const leftAt = performance.now();
      expect(await left).to.equal('left');
      const ended = await eventually(
        `no search of ${path}`,
        async () => {
          // A search in both lists ran while the test read the slots. A search in only one list may have
          // started or ended meanwhile.
          const [before, places, after] = [await searches(), await running(), await searches()];
          const found = after.filter(({ description }) =>
            before.some((search) => search.description === description),
          );
          // The service counts publication times in the background, for all pages.
          const own = found.filter(
            ({ description }) =>
              !description.includes('"least":{"min"') && !description.includes('"histogram"'),
          );
          wasCancelled ||= own.some(({ isCancelled, runningMs }) => isCancelled && runningMs < EARLY_MS);
          const leftSince = performance.now() - leftAt;
          if (own.length === 0) return leftSince;
          // After this long, a search that ignores its cancellation loses its slot (decision 0022).
          if (leftSince > LONGEST_HELD_MS) return false;
          expect(places, `slots of ${path}`).to.be.at.least(own.length);
        },
        120_000,
        20,
      );
      await eventually('no slot is taken', async () => (await running()) === 0, 120_000);
      return { ms: ended, wasCancelled };
    };
    for (const path of [
      '/api/public-feed?page=2',
      '/api/public-feed?page=900',
      '/api/ai-feed?date=2099-01-01',
    ])
      await leave(path);
    // For a client that stays, Elasticsearch works on such a page until the page is complete or times out
    // after 4 s.
    const start = performance.now();
    await status(deepAtNewPoint());
    const whole = performance.now() - start;
    await eventually('its searches have ended', async () => (await searches()).length === 0, 120_000);
    // On a busy machine, a cancelled search can run on for a while. On an idle one, it ends before the test
    // sees it. Without cancellation, neither happens.
    await eventually(
      'a deep page is cancelled, or ends in less than half of its time',
      async () => {
        const { ms, wasCancelled } = await leave(deepAtNewPoint());
        return wasCancelled || ms < whole / 2;
      },
      120_000,
    );
  }).timeout(600_000);
});
