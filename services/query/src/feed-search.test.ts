import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@elastic/elasticsearch';
import { createElasticsearch } from '@vitrine/runtime';
import { expect } from 'chai';
import { Histogram } from 'prom-client';
import { createFeedSearch, FeedUnavailable } from './feed-search.ts';

/** What a search answers, and a point in time when it is opened. */
const COMPLETE = {
  id: 'pit',
  took: 1,
  timed_out: false,
  _shards: { total: 1, successful: 1, failed: 0 },
  hits: { total: { value: 0, relation: 'eq' }, hits: [] },
};

const OPENED = 'POST /p-items/_pit?keep_alive=20s';

/** An Elasticsearch that says what the test wants, since the real one cannot be brought to. */
describe('feed search', () => {
  let server: Server;
  let elasticsearch: Client;
  let answer: { status: number; body: object } | 'none';
  let asked: string[] = [];
  let abandoned: Promise<unknown>[] = [];
  const duration = new Histogram({ name: 'test', help: 'test', registers: [] });
  const search = (snapshotLifetimeMs = 5_000) =>
    createFeedSearch({ elasticsearch, indexPrefix: 'p', resultWindow: 200, snapshotLifetimeMs, duration });
  const page = (from = 0, signal = AbortSignal.timeout(5_000)) => search().page({ order: 'newest', request: { from, size: 20 } }, signal);
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('resolved'),
      (error: unknown) => error,
    );

  before(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      if (answer === 'none' && request.url === '/_search') {
        abandoned.push(once(response, 'close'));
        return;
      }
      const isGranted = answer === 'none' || (answer.status === 400 && request.url !== '/_search');
      const { status, body } = isGranted ? { status: 200, body: COMPLETE } : (answer as { status: number; body: object });
      response.writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' }).end(JSON.stringify(body));
    }).listen(0);
    await once(server, 'listening');
    elasticsearch = createElasticsearch({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requestTimeout: 5_000, maxRetries: 0 });
  });
  beforeEach(() => {
    asked = [];
    abandoned = [];
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await elasticsearch.close();
  });

  it('asks a point in time of the items alias, and nothing else', async () => {
    answer = { status: 200, body: COMPLETE };
    expect(await page()).to.deep.equal({ total: 0, items: [], offersByDate: [] });
    expect(asked[0]).to.equal(OPENED);
    expect(new Set(asked.slice(1))).to.deep.equal(new Set(['POST /_search']));
  });

  it('counts once for all pages of a snapshot', async () => {
    answer = { status: 200, body: COMPLETE };
    const { page: read } = search();
    const pageAt = (from: number) =>
      read({ order: 'newest', request: { query: { term: { city: 'x' } }, from, size: 20 } }, AbortSignal.timeout(5_000));
    await pageAt(0);
    // The timeline is counted beside the first page.
    while (asked.length < 4) await new Promise(setImmediate);
    asked = [];
    await pageAt(20);
    expect(asked).to.deep.equal(['POST /_search']);
  });

  it('counts anew where nothing may be kept', async () => {
    answer = { status: 200, body: COMPLETE };
    const { page: read } = search(0);
    const pages = async () => {
      await read({ order: 'newest', request: { size: 20 } }, AbortSignal.timeout(5_000));
      return asked.filter((request) => request === OPENED).length;
    };
    const opened = await pages();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await pages()).to.be.greaterThan(opened);
  });

  it('never takes a partial answer for a whole one', async () => {
    for (const partial of [{ timed_out: true }, { _shards: { total: 2, successful: 1, failed: 1 } }]) {
      answer = { status: 200, body: { ...COMPLETE, ...partial } };
      expect(await failure(page())).to.be.instanceOf(FeedUnavailable);
    }
  });

  it('takes every refusal for the state of Elasticsearch, but that of the search itself', async () => {
    for (const status of [401, 403, 404, 429, 500, 502, 503, 504]) {
      answer = { status, body: { error: { type: 'x', reason: 'y' } } };
      expect(await failure(page()), String(status)).to.be.instanceOf(FeedUnavailable);
      expect(await failure(page(1_000)), `${status} at depth`).to.be.instanceOf(FeedUnavailable);
    }
    answer = { status: 400, body: { error: { type: 'x', reason: 'y' } } };
    expect(await failure(page())).not.to.be.instanceOf(FeedUnavailable);
  });

  it('gives the search up together with its caller', async () => {
    answer = 'none';
    const caller = new AbortController();
    const given = failure(page(0, caller.signal));
    // The point in time and the count are for others too, the page's own search is not.
    while (asked.length < 4) await new Promise(setImmediate);
    caller.abort();
    expect(await given).to.be.instanceOf(FeedUnavailable);
    await Promise.any(abandoned);
  });

  it('gives a deep page up together with its caller', async () => {
    answer = 'none';
    const caller = new AbortController();
    const given = failure(page(1_000, caller.signal));
    while (asked.length === 0) await new Promise(setImmediate);
    caller.abort();
    expect(await given).to.be.instanceOf(FeedUnavailable);
  });

  it('closes the point in time of a deep page that failed', async () => {
    answer = { status: 200, body: { ...COMPLETE, timed_out: true } };
    expect(await failure(page(1_000))).to.be.instanceOf(FeedUnavailable);
    while (!asked.includes('DELETE /_pit')) await new Promise(setImmediate);
    expect(asked.slice(0, 2)).to.deep.equal([OPENED, 'POST /_search']);
  });
});
