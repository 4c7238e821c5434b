import { itemsAlias } from '@vitrine/feed-index';
import { pagingItems } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { indexItems, itemsIndex } from '../support/items-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { searchesOf, slowSearches } from '../support/search-tasks.ts';
import { eventually } from '../support/service-process.ts';
import { metricOf } from '../support/telemetry.ts';

const ITEMS = 60_000;
/** How long a search of a disconnected client occupies its slot: it continues for 500 ms, then 2 s at most. */
const LONGEST_HELD_MS = 2_400;
/** A new point for each deep page. */
let points = 0;
const deepAtNewPoint = () => `/api/public-feed?page=500&lat=-23.5&lng=${-46 - ++points / 100}`;

describe('query service: searches in Elasticsearch', () => {
  let deployment: QueryDeployment;
  let proxy: FaultProxy;
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
    deployment = await startQuery({ env: { ELASTICSEARCH_URL: proxy.url, CACHE_BYTES: '0' } });
    index = itemsIndex(deployment.prefix, 1);
    await deployment.createIndex([]);
    await indexItems(deployment.elasticsearch, index, pagingItems(ITEMS));
    await eventually('served', async () => (await status('/api/public-feed')) === 200);
  });
  after(async () => {
    await deployment?.close();
    await proxy?.close();
  });

  it('a lost point in time is replaced at once, without an error for the client', async () => {
    for (const path of ['/api/public-feed?page=2', '/api/public-feed?page=900', deepAtNewPoint()]) {
      expect(await status('/api/public-feed')).to.equal(200);
      expect(await openPointsInTime()).to.equal(1);
      // Closing an index ends its points in time; those of other indices stay.
      await deployment.elasticsearch.indices.close({ index });
      await deployment.elasticsearch.indices.open({ index });
      await deployment.elasticsearch.cluster.health({ index, wait_for_status: 'yellow' });
      expect(await openPointsInTime()).to.equal(0);
      expect(await status(path), path).to.equal(200);
      expect(await openPointsInTime()).to.equal(1);
    }
  });

  it('a closed index counts as an outage, not as a defect of the service', async () => {
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

  it('a shutdown closes the point in time', async () => {
    const other = await startQuery({ env: { INDEX_PREFIX: deployment.prefix } });
    await eventually('none is open', async () => (await openPointsInTime()) === 0);
    await fetch(`${other.origin}/api/public-feed`).then((response) => response.body?.cancel());
    expect(await openPointsInTime()).to.equal(1);
    await other.close();
    expect(await openPointsInTime()).to.equal(0);
  });

  it('Elasticsearch ends the searches of a disconnected client, and their slots are held until then', async () => {
    await slowSearches(deployment.elasticsearch, index, itemsAlias(deployment.prefix));
    // The last fast point in time is shared for 5 s.
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    const ends: number[] = [];
    const deep = Array.from({ length: 3 }, deepAtNewPoint);
    for (const path of [
      '/api/public-feed?page=2',
      '/api/public-feed?page=900',
      '/api/ai-feed?date=2099-01-01',
      ...deep,
    ]) {
      const leaving = new AbortController();
      const left = get(path, leaving.signal).catch(() => 'left');
      await eventually(`searches of ${path}`, async () => (await searches()).length > 0, 5_000, 10);
      leaving.abort();
      const leftAt = performance.now();
      expect(await left).to.equal('left');
      const ended = await eventually(
        `no search of ${path}`,
        async () => {
          // A search in both lists ran while the slots were read. One in a single list may have started or ended
          // meanwhile.
          const [before, places, after] = [await searches(), await running(), await searches()];
          const found = after.filter(({ description }) =>
            before.some((search) => search.description === description),
          );
          // Publication times are counted in the background, for all pages.
          const own = found.filter(
            ({ description }) =>
              !description.includes('"least":{"min"') && !description.includes('"histogram"'),
          );
          const leftSince = performance.now() - leftAt;
          if (own.length === 0) return leftSince;
          // A search that ignores its cancellation for longer loses its slot (decision 0022).
          if (leftSince > LONGEST_HELD_MS) return false;
          expect(places, `places of ${path} for ${JSON.stringify(own)}`).to.be.at.least(own.length);
        },
        10_000,
        20,
      );
      ends.push(ended);
      await eventually('no place is taken', async () => (await running()) === 0, 10_000);
    }
    // Without a disconnection, Elasticsearch works on such a page until it is complete or times out after 4
    // s.
    const start = performance.now();
    await status(deepAtNewPoint());
    const quickest = Math.min(...ends.slice(-deep.length));
    expect(quickest, 'milliseconds until Elasticsearch had ended').to.be.below(
      (performance.now() - start) / 2,
    );
  });
});
