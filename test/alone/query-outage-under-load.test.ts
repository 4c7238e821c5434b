import { setTimeout as pass } from 'node:timers/promises';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { closedLoop, quantile, type Sample } from '../support/http-load.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

const CACHED = Array.from({ length: 10 }, (_, n) => `/api/ai-feed?pageSize=${n + 1}`);
/** A page's timeout of 8 s, plus a margin for a busy machine. */
const BOUND_MS = 15_000;
/** Longer than the bound, so that a request that waits for Elasticsearch itself exceeds the bound. */
const FROZEN_MS = 18_000;
/** A failure must last until the service has served more than this number of cached pages. */
const SERVED = 500;
/** Maximum time until a cached page is served while the service tries to refresh it. */
const CACHED_BOUND_MS = 2_000;

describe('query service: Elasticsearch failures under load', () => {
  let query: QueryProcess;
  let [cachedPages, uncached] = [0, 0];

  before(async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    query = await startQueryProcess(generateItems(300), {
      ELASTICSEARCH_URL,
      FEED_TODAY: TODAY,
      CACHE_FRESH_SECONDS: '1',
    });
  });
  after(() => query?.close());

  /**
   * Requests cached and uncached pages repeatedly during `trouble`, which returns the start and the end of
   * the failure.
   */
  async function underLoad(trouble: () => Promise<{ from: number; to: number }>): Promise<void> {
    for (const target of CACHED)
      expect((await fetchAccepted(`${query.origin}${target}`)).status).to.equal(200);
    let isOver = false;
    const load = [
      closedLoop(
        query.origin,
        4,
        () => CACHED[cachedPages++ % CACHED.length] ?? '',
        () => isOver,
      ),
      closedLoop(
        query.origin,
        4,
        () => `/api/public-feed?lat=-8&lng=${(uncached++ / 1_000).toFixed(3)}`,
        () => isOver,
      ),
    ];
    const away = await trouble();
    isOver = true;
    const [cached = [], others = []] = await Promise.all(load);
    const during = (samples: Sample[]) => samples.filter(({ at }) => at > away.from && at < away.to);
    // These samples include requests from just before the failure, because they wait for Elasticsearch too.
    const waiting = (samples: Sample[]) =>
      samples.filter(({ at, ms }) => at + ms > away.from && at < away.to);
    const statuses = (samples: Sample[]) => [...new Set(samples.map(({ status }) => status))].sort();
    expect(during(cached).length, 'cached responses during the failure').to.be.above(SERVED);
    expect(statuses(cached), 'statuses of cached pages').to.deep.equal([200]);
    const slowest = (samples: Sample[], share: number) =>
      quantile(
        samples.map(({ ms }) => ms),
        share,
      );
    // If the machine pauses, one response to each client is late.
    expect(slowest(cached, 0.99), 'milliseconds of cached responses, p99').to.be.below(CACHED_BOUND_MS);
    expect(slowest(during(cached), 0.9), 'milliseconds of cached responses, p90').to.be.below(200);
    expect(statuses(waiting(others)), 'statuses of uncached pages')
      .to.include(503)
      .and.to.satisfy((all: number[]) => all.every((status) => status === 503 || status === 200));
    expect(
      Math.max(...others.map(({ ms }) => ms)),
      'milliseconds of the slowest uncached response',
    ).to.be.below(BOUND_MS);
    expect((await fetch(`${query.origin}${CACHED[0]}`)).status).to.equal(200);
  }
  const servesCached = () => {
    const from = cachedPages;
    return eventually('cached pages during the failure', async () => cachedPages > from + SERVED + 1);
  };
  const works = () =>
    eventually(
      'an uncached page',
      async () =>
        (await fetch(`${query.origin}/api/public-feed?lat=-9&lng=${(uncached++ / 1_000).toFixed(3)}`)).ok,
    );

  it('serves cached pages, refuses others within a time limit, and recovers if Elasticsearch is frozen', async function () {
    const { elasticsearch } = await engines();
    if (!elasticsearch) return this.skip();
    await underLoad(async () => {
      await pass(500);
      const from = performance.now();
      await elasticsearch.freeze();
      await pass(FROZEN_MS);
      await servesCached();
      const to = performance.now();
      await elasticsearch.thaw();
      await works();
      return { from, to };
    });
  });

  it('serves cached pages, refuses others within a time limit, and recovers if Elasticsearch is stopped', async function () {
    const { elasticsearch } = await engines();
    if (!elasticsearch) return this.skip();
    await underLoad(async () => {
      const from = performance.now();
      await elasticsearch.stop();
      const stopped = performance.now();
      await pass(2_000);
      await servesCached();
      const to = performance.now();
      await elasticsearch.start();
      await works();
      return { from: Math.max(from, stopped), to };
    });
  });
});
