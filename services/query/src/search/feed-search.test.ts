import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@elastic/elasticsearch';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { Histogram } from 'prom-client';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import type { FeedQuery } from './feed-query.ts';
import { createFeedSearch, type FeedSearchOptions } from './feed-search.ts';
import { ResponseReader } from './response-reader.ts';
import { FeedUnavailable } from './search-failure.ts';
import { Overloaded, SearchLimiter } from './search-limiter.ts';

/** A complete response to a search. It is also valid as a response to the opening of a point in time. */
const COMPLETE = {
  id: 'pit',
  took: 1,
  timed_out: false,
  _shards: { total: 1, successful: 1, failed: 0 },
  hits: { total: { value: 0, relation: 'eq' }, hits: [] },
  aggregations: {
    least: { value: null },
    most: { value: null },
    parts: { buckets: [] },
    offers: { doc_count: 0, dates: { buckets: {} } },
  },
};

const budget = new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9));
const OPENED = 'POST /p-items/_pit?keep_alive=20s';

/** Replaces Elasticsearch with a server, for responses that Elasticsearch does not return on request. */
describe('feed search', () => {
  let server: Server;
  let elasticsearch: Client;
  let answer: { status: number; body: object } | 'none';
  /** Whether opening and closing a point in time succeed even if `answer` is a failure. */
  let isOpening = false;
  let requests: string[] = [];
  let abandoned: Promise<unknown>[] = [];
  const duration = new Histogram({ name: 'test', help: 'test', registers: [] });
  let limiter: SearchLimiter;
  const cancellation = { abandonedMs: 20, endingMs: 100 };
  const distanceCountLimiter = new SearchLimiter({ limit: 1, queue: 1 });
  const options = (pointInTimeLifetimeMs = 5_000): FeedSearchOptions => ({
    elasticsearch,
    responses: new ResponseReader(1_000_000),
    indexPrefix: 'p',
    resultWindow: 200,
    pointInTimeLifetimeMs,
    limiter,
    distanceCountLimiter,
    cancellation,
    duration,
  });
  const search = (pointInTimeLifetimeMs?: number) => createFeedSearch(options(pointInTimeLifetimeMs));
  const page = (from = 0, signal = AbortSignal.timeout(5_000)) =>
    search().page({ order: 'newest', request: { from, size: 20 } }, signal, budget);
  const searches = () => requests.filter((request) => request === 'POST /_search').length;
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('resolved'),
      (error: unknown) => error,
    );

  before(async () => {
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      if (answer === 'none' && request.url === '/_search') {
        abandoned.push(once(response, 'close'));
        return;
      }
      const isGranted =
        answer === 'none' || ((answer.status === 400 || isOpening) && request.url !== '/_search');
      const { status, body } = isGranted
        ? { status: 200, body: COMPLETE }
        : (answer as { status: number; body: object });
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' })
        .end(JSON.stringify(body));
    }).listen(0);
    await once(server, 'listening');
    elasticsearch = createElasticsearch({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      requestTimeout: 5_000,
      maxRetries: 0,
    });
  });
  // A background count of one test must not appear in the requests of the next test.
  afterEach(async () => {
    answer = { status: 500, body: {} };
    server.closeAllConnections();
    while (limiter.running + limiter.waiting + distanceCountLimiter.running > 0)
      await new Promise(setImmediate);
  });
  beforeEach(() => {
    limiter = new SearchLimiter({ limit: 8 });
    isOpening = false;
    requests = [];
    abandoned = [];
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await elasticsearch.close();
  });

  it('searches only a point in time of the items alias', async () => {
    answer = { status: 200, body: COMPLETE };
    expect(await page()).to.deep.equal({ total: 0, items: [], offersByDate: [] });
    expect(requests[0]).to.equal(OPENED);
    expect(new Set(requests.slice(1))).to.deep.equal(new Set(['POST /_search']));
  });

  it('counts once for all pages of a point in time', async () => {
    answer = { status: 200, body: COMPLETE };
    const { page: read } = search();
    const pageAt = (from: number) =>
      read(
        { order: 'newest', request: { query: { term: { city: 'x' } }, from, size: 20 } },
        AbortSignal.timeout(5_000),
        budget,
      );
    await pageAt(0);
    // The first page also starts the count of publication times.
    await expectNothingRuns();
    requests = [];
    await pageAt(20);
    expect(requests).to.deep.equal(['POST /_search']);
  });

  describe('without shared points in time', () => {
    const matches = (value: number) => ({
      ...COMPLETE,
      hits: { total: { value, relation: 'eq' }, hits: [] },
      aggregations: COMPLETE.aggregations,
    });
    const query = { order: 'newest', request: { query: { term: { city: 'x' } }, size: 20 } } as const;
    /**
     * Reads a page after a first page with the same filter.
     * @returns its total, and which requests it sent
     */
    const later = async (found: number, given: FeedQuery = query, from = 0) => {
      answer = { status: 200, body: matches(found) };
      const { page: read } = search(0);
      await read(given, AbortSignal.timeout(5_000), budget);
      await expectNothingRuns();
      requests = [];
      const page = { ...given, request: { ...given.request, from } };
      const { total } = await read(page, AbortSignal.timeout(5_000), budget);
      return { total, opened: requests.includes(OPENED), whole: requests.includes('POST /p-items/_search') };
    };

    it('reads a page with few matches, and its total, with one search of the current items', async () => {
      expect(await later(7)).to.deep.equal({ total: 7, opened: false, whole: true });
      expect(requests.filter((request) => request.startsWith('POST'))).to.deep.equal([
        'POST /p-items/_search',
      ]);
    });

    it('counts every other page at its own point in time', async () => {
      const many = { total: 50_001, opened: true, whole: false };
      expect(await later(50_001)).to.deep.equal(many);
      const few = { ...many, total: 7 };
      expect(await later(7, { ...query, dates: ['2026-12-02'] }), 'dates').to.deep.equal(few);
      expect(await later(7, { ...query, order: { lat: 1, lon: 2 } }), 'nearest').to.deep.equal(few);
      expect(await later(50_001, { ...query, order: 'price' }), 'by price').to.deep.equal(many);
      expect(await later(7, query, 150), 'deep').to.deep.equal(few);
    });
  });

  it('counts each order for itself', async () => {
    answer = { status: 200, body: COMPLETE };
    const { page: read } = search();
    const deep = async (order: FeedQuery['order']) => {
      requests = [];
      const request = { query: { term: { city: 'x' } }, from: 1_000, size: 20 };
      await read({ order, request }, AbortSignal.timeout(5_000), budget);
      return searches();
    };
    expect([await deep('price'), await deep('rating'), await deep('price')]).to.deep.equal([1, 1, 0]);
  });

  it('limits a deep page in two ranges to as many bytes as any other page', async () => {
    answer = { status: 200, body: COMPLETE };
    const document = JSON.stringify({ feed_item: { id: 'a', title: 'x'.repeat(1_000) } });
    const parts = { buckets: [90, 30].map((doc_count, from) => ({ from, to: from + 1, doc_count })) };
    const counted = {
      ...COMPLETE,
      hits: { total: { value: 140, relation: 'eq' }, hits: [] },
      aggregations: { least: { value: 0 }, most: { value: 1 }, parts },
    };
    const limits: (number | undefined)[] = [];
    const { page: read } = createFeedSearch({
      ...options(),
      send: async (_sender, _path, _body, { hits, maxBytes }) => {
        if (hits === 0) return { status: 200, bytes: Buffer.from(JSON.stringify(counted)) };
        limits.push(maxBytes);
        const found = Array(hits).fill(`{"_source":${document},"sort":[1,"a"]}`);
        const whole = JSON.stringify({ ...COMPLETE, hits: {} }).replace(
          '"hits":{}',
          `"hits":{"hits":[${found.join()}]}`,
        );
        return { status: 200, bytes: Buffer.from(whole) };
      },
    });
    const request = { from: 100, size: 40, _source: ['feed_item'] };
    const { items } = await read({ order: 'price', request }, AbortSignal.timeout(5_000), budget);
    expect(items).to.have.lengthOf(40);
    // 20 items of the page are in the second range of prices, and 20 have no price.
    expect(limits).to.deep.equal([1_000_000, 1_000_000 - 20 * (document.length - '}'.length)]);
  });

  it('leaves out the stay offers if the index lacks the fields for stays', async () => {
    const stay = { first: '2026-12-01', last: '2026-12-02', nights: 2 };
    const stays = { stay, limits: {}, starts: [stay.first] };
    const aggregations = { ...COMPLETE.aggregations, index: { buckets: [] }, stays: { buckets: {} } };
    const read = (fields: object) => {
      answer = { status: 200, body: { ...COMPLETE, aggregations, fields } };
      const query: FeedQuery = { order: 'newest', request: { size: 20 }, stays };
      return search().page(query, AbortSignal.timeout(5_000), budget);
    };
    expect(await read({})).not.to.have.property('stays');
    expect(await read({ nights: {} })).to.have.property('stays');
  });

  it('never accepts a partial response as complete', async () => {
    for (const partial of [{ timed_out: true }, { _shards: { total: 2, successful: 1, failed: 1 } }]) {
      answer = { status: 200, body: { ...COMPLETE, ...partial } };
      expect(await failure(page())).to.be.instanceOf(FeedUnavailable);
    }
  });

  it("attributes every refusal to Elasticsearch's state, except a refusal of the search itself", async () => {
    for (const status of [401, 403, 404, 429, 500, 502, 503, 504]) {
      answer = { status, body: { error: { type: 'x', reason: 'y' } } };
      expect(await failure(page()), String(status)).to.be.instanceOf(FeedUnavailable);
      expect(await failure(page(1_000)), `${status} at depth`).to.be.instanceOf(FeedUnavailable);
    }
    answer = { status: 400, body: { error: { type: 'x', reason: 'y' } } };
    expect(await failure(page())).not.to.be.instanceOf(FeedUnavailable);
  });

  const expectNothingRuns = async () => {
    while (limiter.running > 0) await new Promise(setImmediate);
    expect(limiter.waiting).to.equal(0);
  };

  for (const [what, from] of [
    ['page', 0],
    ['deep page', 1_000],
  ] as const) {
    it(`cancels a ${what} with its caller, and holds its slots until the connections are closed`, async () => {
      answer = 'none';
      const caller = new AbortController();
      const given = failure(page(from, caller.signal));
      // A page needs its own search, its total and the publication times; a deep page needs the first count.
      while (searches() < (from === 0 ? 3 : 1)) await new Promise(setImmediate);
      const running = limiter.running;
      expect(running).to.equal(searches());
      caller.abort();
      await new Promise(setImmediate);
      expect(limiter.running, 'just after').to.equal(running);
      expect(await given).to.be.instanceOf(FeedUnavailable);
      await Promise.any(abandoned);
      expect(limiter.running, 'while Elasticsearch cancels').to.equal(running);
      // Other pages also need the publication times, so their count continues.
      while (limiter.running > (from === 0 ? 1 : 0)) await new Promise(setImmediate);
    });
  }

  it('sends no searches that wait for a slot when their caller gives up', async () => {
    answer = { status: 200, body: COMPLETE };
    limiter = new SearchLimiter({ limit: 1 });
    const release = await limiter.enter(AbortSignal.timeout(60_000));
    const caller = new AbortController();
    const given = failure(page(0, caller.signal));
    while (limiter.waiting < 2) await new Promise(setImmediate);
    caller.abort();
    expect(await given).to.be.instanceOf(Error);
    expect(requests.filter((request) => request === 'POST /_search')).to.deep.equal([]);
    release();
  });

  it('sends no more concurrent searches than the limiter has slots', async () => {
    answer = 'none';
    limiter = new SearchLimiter({ limit: 2 });
    const caller = new AbortController();
    const { page: read } = search();
    const given = [0, 20, 1_000].map((from) =>
      failure(read({ order: 'newest', request: { from, size: 20 } }, caller.signal, budget)),
    );
    while (limiter.waiting < 3 || searches() < 2) await new Promise(setImmediate);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(searches()).to.equal(2);
    caller.abort();
    await Promise.all(given);
  });

  it('counts by distance for one new point at a time, and refuses those beyond the queue', async () => {
    answer = 'none';
    const caller = new AbortController();
    const { page: read } = search();
    const deepAt = (lat: number) =>
      failure(read({ order: { lat, lon: 0 }, request: { from: 1_000, size: 20 } }, caller.signal, budget));
    const admitted = [deepAt(1), deepAt(2)];
    while (searches() < 1 || distanceCountLimiter.waiting < 1) await new Promise(setImmediate);
    expect(await deepAt(3)).to.be.instanceOf(Overloaded);
    const same = deepAt(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(searches(), 'pages of the same point share their count').to.equal(1);
    caller.abort();
    await Promise.all([...admitted, same]);
    while (distanceCountLimiter.running > 0) await new Promise(setImmediate);
  });

  for (const [what, body, status] of [
    ['times out', { ...COMPLETE, timed_out: true }, 200],
    ['fails in part', { ...COMPLETE, _shards: { total: 2, successful: 1, failed: 1 } }, 200],
    ['is rejected with 429', { error: { type: 'es_rejected_execution_exception' } }, 429],
  ] as const) {
    it(`a page that ${what} costs one attempt, and the point in time stays`, async () => {
      const { page: read } = search();
      const deep = () =>
        read(
          { order: 'newest', request: { query: { term: { city: 'x' } }, from: 1_000, size: 20 } },
          AbortSignal.timeout(5_000),
          budget,
        );
      answer = { status: 200, body: COMPLETE };
      await read({ order: 'newest', request: { size: 20 } }, AbortSignal.timeout(5_000), budget);
      await expectNothingRuns();
      answer = { status, body };
      requests = [];
      expect(await failure(deep())).to.be.instanceOf(FeedUnavailable);
      expect(searches()).to.equal(1);
      answer = { status: 200, body: COMPLETE };
      await deep();
      expect(requests).not.to.include(OPENED);
      await expectNothingRuns();
    });
  }

  it('replaces a lost point in time, once', async () => {
    const { page: read } = search();
    const deep = () =>
      read(
        { order: 'newest', request: { query: { term: { city: 'x' } }, from: 1_000, size: 20 } },
        AbortSignal.timeout(5_000),
        budget,
      );
    answer = { status: 200, body: COMPLETE };
    await deep();
    answer = {
      status: 404,
      body: {
        error: {
          type: 'search_phase_execution_exception',
          root_cause: [{ type: 'search_context_missing_exception' }],
        },
      },
    };
    isOpening = true;
    requests = [];
    expect(
      await failure(
        read({ order: 'newest', request: { from: 1_000, size: 20 } }, AbortSignal.timeout(5_000), budget),
      ),
    ).to.be.instanceOf(FeedUnavailable);
    expect(requests.filter((request) => request === 'POST /_search')).to.have.length(2);
    expect(requests.filter((request) => request === OPENED)).to.have.length(1);
  });

  it('closes its point in time on shutdown', async () => {
    answer = { status: 200, body: COMPLETE };
    const { page: read, close } = search();
    await read({ order: 'newest', request: { from: 1_000, size: 20 } }, AbortSignal.timeout(5_000), budget);
    expect(requests).not.to.include('DELETE /_pit');
    await close();
    expect(requests.at(-1)).to.equal('DELETE /_pit');
  });
});
