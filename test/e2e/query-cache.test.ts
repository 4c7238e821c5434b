import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask, type HttpAnswer } from '../contract/http-answer.ts';
import { engines } from '../support/engines.ts';
import { startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { sample } from '../support/http-load.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually, metricOf } from '../support/service-process.ts';

describe('query service: cache', () => {
  let deployment: QueryDeployment;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    ask(`${deployment.origin}/api${path}`, { method, headers });
  /** Number of pages for which the service has counted a search. */
  const pagesMade = () => metricOf(deployment.admin, 'elasticsearch_search_duration_seconds_count');
  const metaOf = ({ text }: HttpAnswer) =>
    (JSON.parse(text) as { meta: { total: number; generatedAt: string } }).meta;

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY, CACHE_FRESH_SECONDS: '3600' } });
    await deployment.createIndex(generateItems(300));
  });
  after(() => deployment?.close());

  it('requests with the same meaning share a cached page, and only legacy names get a Deprecation header', async () => {
    const before = await pagesMade();
    const spellings = [
      `/ai-feed/rental?city=S%C3%A3o%20Paulo&utm_x=1&date=${day(4)}`,
      `/ai-feed/rent?city=sao-paulo&date=${day(4)}`,
      `/ai-feed/rent?date=${day(4)}&city=SAO+PAULO&page=01&pageSize=20`,
      `/ai-feed/rent?cidade=s%C3%A3o-paulo&data=${day(4)}`,
      `/ai-feed/rent?city=sao-paulo&date=${day(4)}&date_to=${day(4)}&category=`,
    ];
    for (let round = 0; round < 2; round++) {
      for (const path of spellings) {
        const answer = await get(path);
        expect(metaOf(answer), path).to.deep.equal(metaOf(await get(spellings[0] ?? '')));
        expect(answer.headers.deprecation !== undefined, path).to.equal(path.includes('cidade'));
        expect(answer.headers.link?.includes('rel="deprecation"'), path).to.equal(path.includes('cidade'));
      }
    }
    expect((await pagesMade()) - before).to.equal(1);
  });

  it('requests with different meanings have separate cached pages', async () => {
    const before = await pagesMade();
    const paths = [
      '/public-feed',
      '/ai-feed',
      '/ai-feed/sale',
      '/ai-feed?page=2',
      '/ai-feed?pageSize=21',
      '/ai-feed?cursor=*',
      '/ai-feed?city=recife',
    ];
    const tags = await Promise.all(paths.map(async (path) => (await get(path)).headers.etag));
    expect(new Set(tags).size).to.equal(paths.length);
    expect((await pagesMade()) - before).to.equal(paths.length);
  });

  it('the cache fast path responds like the app', async () => {
    const variants: [headers: Record<string, string>, method?: string][] = [
      [{}],
      [{}, 'HEAD'],
      [{ 'accept-encoding': 'gzip' }],
      [{ 'accept-encoding': 'zstd' }],
      [{ 'accept-encoding': 'br;q=0.5, gzip;q=0' }],
      [{ 'if-none-match': '*' }],
      [{ 'if-none-match': '*', 'accept-encoding': 'br' }, 'HEAD'],
    ];
    for (const [n, [headers, method]] of variants.entries()) {
      const path = `/ai-feed?cidade=recife&pageSize=${30 + n}`;
      const [byApp, byFastPath] = [await get(path, headers, method), await get(path, headers, method)];
      // A response with a request id comes from the app, because the fast path creates none.
      const { age: _, date: __, ...kept } = byFastPath.headers;
      const { age: ___, date: ____, 'x-request-id': requestId, ...first } = byApp.headers;
      expect(requestId, 'created by the app').to.match(/^[\w-]+$/);
      expect({ status: byFastPath.status, text: byFastPath.text, ...kept }).to.deep.equal({
        status: byApp.status,
        text: byApp.text,
        ...first,
      });
    }
    const twice = [await get('/docs'), await get('/ai-feed?page=0'), await get('/ai-feed?page=0')];
    expect(twice.map(({ status }) => status)).to.deep.equal([200, 400, 400]);
    expect(
      (await ask(`${deployment.origin}/api/ai-feed`, { method: 'POST' })).status,
      'another method of a known URL',
    ).to.equal(405);
  });

  it("sends a cached page's age", async () => {
    const askedAt = performance.now();
    const secondsSince = () => (performance.now() - askedAt) / 1_000;
    const first = await get('/public-feed?pageSize=7');
    expect(Number(first.headers.age ?? 0)).to.be.at.most(secondsSince());
    await pass(2_100);
    const later = await get('/public-feed?pageSize=7');
    expect(Number(later.headers.age)).to.be.within(2, secondsSince());
    expect(metaOf(later)).to.deep.equal(metaOf(first));
    expect(later.headers['cache-control']).to.equal(
      'public, max-age=3600, stale-while-revalidate=300, stale-if-error=300',
    );
  });

  it('lets other caches keep a page for as long as the service itself does, by default 5 s', async () => {
    const other = await startQuery({ env: { FEED_TODAY: TODAY, INDEX_PREFIX: deployment.prefix } });
    try {
      const { headers } = await ask(`${other.origin}/api/public-feed`);
      expect(headers['cache-control']).to.equal(
        'public, max-age=5, stale-while-revalidate=10, stale-if-error=300',
      );
    } finally {
      await other.close();
    }
  });
});

describe('query service: concurrent equal requests', () => {
  it('a thousand equal requests for an uncached page cause one search', async () => {
    const proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    const deployment = await startQuery({ env: { FEED_TODAY: TODAY, ELASTICSEARCH_URL: proxy.url } });
    try {
      await deployment.createIndex(generateItems(100));
      const arrived = Promise.withResolvers<void>();
      const searches: string[] = [];
      proxy.hook = async (_step, moment, { path, body }): Promise<Verdict> => {
        if (moment !== 'before' || path !== '/_search') return 'pass';
        searches.push(body.toString());
        await arrived.promise;
        return 'pass';
      };
      const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
      const requests = Array.from({ length: 1_000 }, (_, i) =>
        get(`${deployment.origin}/api/ai-feed/rent?pageSize=3&utm_x=${i}`, { agent }),
      );
      const answers = requests.map(async (request) => {
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        await once(response.resume(), 'end');
        return response.statusCode;
      });
      await Promise.all(requests.map((request) => request.writableFinished || once(request, 'finish')));
      // The service accepts connections in order, so it has read all earlier requests when it answers the
      // second of these. It cannot respond to the earlier ones before the first search ends.
      const later = new Agent({ keepAlive: false });
      for (let turn = 0; turn < 2; turn += 1) await sample(later, deployment.origin, '/api/no-such-feed');
      arrived.resolve();
      const statuses = new Set(await Promise.all(answers));
      agent.destroy();
      expect(statuses).to.deep.equal(new Set([200]));
      const pages = searches.filter((body) => body.includes('"size":3'));
      expect(pages, 'searches for the page').to.have.lengthOf(1);
      expect(searches.length, 'all searches, including those for the total and the histogram').to.be.below(
        10,
      );
    } finally {
      await deployment.close();
      await proxy.close();
    }
  }).timeout(120_000);
});

describe('query service: cached pages that are fresh for one second', () => {
  let deployment: QueryDeployment;
  let left = 50;
  const total = async ({ origin }: QueryDeployment = deployment) => {
    const response = await fetchAccepted(`${origin}/api/public-feed`);
    return ((await response.json()) as { meta: { total: number } }).meta.total;
  };
  const removeOne = async () => {
    await deployment.elasticsearch.delete({
      index: `${deployment.prefix}-items`,
      id: `item-${--left}`,
      refresh: true,
    });
  };

  before(async () => {
    const env = { FEED_TODAY: TODAY, CACHE_FRESH_SECONDS: '1', CACHE_STALE_SECONDS: '2' };
    deployment = await startQuery({ env });
    await deployment.createIndex(generateItems(left));
  });
  after(() => deployment?.close());

  it('serves a fresh page from the cache, and refreshes a stale page before it responds', async () => {
    // On a busy machine, a page that is fresh for one second may become stale before the second request.
    const env = { FEED_TODAY: TODAY, INDEX_PREFIX: deployment.prefix, CACHE_FRESH_SECONDS: '3600' };
    const lasting = await startQuery({ env });
    try {
      const before = await total(lasting);
      await total();
      await removeOne();
      expect(await total(lasting), 'fresh').to.equal(before);
    } finally {
      await lasting.close();
    }
    // On a busy machine, the refresh may take longer than a request waits for it.
    await eventually('the refreshed page', async () => (await total()) === left, 60_000, 20);
  });

  it('sends fresh pages to a client that polls less often than pages expire', async () => {
    const poll = async () => {
      const response = await fetchAccepted(`${deployment.origin}/api/public-feed?pageSize=11`);
      await response.arrayBuffer();
      return response.headers.get('age');
    };
    // If the service did not wait for the refresh, every later response would have an Age of at least 1 s, or
    // would need a search because the page is too old. On a busy machine, most refreshes take longer than a
    // request waits.
    await eventually('a fresh response', async () => {
      const askedAt = performance.now();
      await poll();
      await pass(1_600);
      const age = await poll();
      return age === null && performance.now() - askedAt < 3_000;
    });
  });

  it('does not serve a page that is too old, but waits for its search', async () => {
    await total();
    await removeOne();
    await pass(3_100);
    expect(await total()).to.equal(left);
  });
});

describe('query service: rate limit headers', () => {
  const remaining = (response: Response) =>
    Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);

  it('are on every response, from the app and from the cache fast path', async () => {
    const deployment = await startQuery({ env: { RATE_LIMIT: '5' } });
    try {
      await deployment.createIndex(generateItems(5));
      const responses: Response[] = [];
      for (let i = 0; i < 6; i++)
        responses.push(
          await fetch(`${deployment.origin}/api/public-feed`, {
            headers: { 'x-forwarded-for': `198.51.100.${i}` },
          }),
        );
      expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 429]);
      expect(responses.map(remaining)).to.deep.equal([4, 3, 2, 1, 0, 0]);
      for (const { headers } of responses) {
        expect(headers.get('ratelimit-policy')).to.equal('"client";q=5;w=60');
        expect(headers.get('ratelimit')).to.match(/^"client";r=\d+;t=\d+$/);
      }
      expect(responses[5]?.headers.get('retry-after')).to.match(/^[1-9]\d?$/);
    } finally {
      await deployment.close();
    }
  });

  it('refer to the client whose address the outermost trusted proxy saw', async () => {
    const deployment = await startQuery({ env: { RATE_LIMIT: '1', TRUSTED_PROXIES: '1' } });
    try {
      await deployment.createIndex(generateItems(5));
      const status = async (forwarded: string) =>
        (await fetch(`${deployment.origin}/api/public-feed`, { headers: { 'x-forwarded-for': forwarded } }))
          .status;
      expect(await status('198.51.100.1')).to.equal(200);
      expect(await status('198.51.100.2')).to.equal(200);
      expect(
        await status('1.2.3.4, 198.51.100.1'),
        'addresses that the client itself sends are ignored',
      ).to.equal(429);
      expect(await status('2001:db8::1')).to.equal(200);
      expect(await status('2001:db8::2'), 'one subscriber').to.equal(429);
    } finally {
      await deployment.close();
    }
  });
});
