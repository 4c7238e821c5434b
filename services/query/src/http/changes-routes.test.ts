import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { Page } from '../cache/page.ts';
import { ChangesMissing } from '../search/changes/changes-view.ts';
import { FeedUnavailable } from '../search/search-failure.ts';
import { Overloaded } from '../search/search-limiter.ts';
import type { CompleteItem } from '../stored/complete-item.ts';
import { createFailureLog } from '../telemetry/failure-log.ts';
import { createMetrics, type ExportOutcome } from '../telemetry/metrics.ts';
import { createApp } from './app.ts';
import type { CacheFastPath } from './cache-fast-path.ts';
import type { ChangesSource } from './changes-routes.ts';
import { createClientOf, createRequestCounter, RateLimit } from './limits/client-rate-limit.ts';
import { createRequestListener } from './request-listener.ts';
import { RunningExports } from './send-export.ts';
import { stubPages } from './stub-pages.ts';

const item = (id: string): CompleteItem => ({ id, data: [Buffer.from(JSON.stringify({ id }))] });

/** Headers that describe the connection, not the resource. */
const OF_THE_CONNECTION = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id']);

/** A service with one route each for changes and exports, without Elasticsearch. */
async function serve(
  source: Partial<ChangesSource>,
  options: { publicUrl?: string; perMinute?: number } = {},
) {
  const metrics = createMetrics();
  const outcomes: ExportOutcome[] = [];
  const failed: unknown[] = [];
  const failures = {
    ...createFailureLog(createLog('query', 'silent')),
    requestFailed: (error: unknown) => void failed.push(error),
  };
  const read = () => Promise.reject(new Error('not part of this test'));
  const app = createApp({
    basePath: '/api',
    publicUrl: options.publicUrl,
    pages: stubPages(read),
    changes: {
      read,
      onServed: () => undefined,
      exportNumber: async () => 7,
      exportItems: async function* () {
        yield [item('a'), item('b')];
      },
      exports: new RunningExports(1),
      clientOf: ({ headers }) => String(headers['x-client']),
      pace: { stallMs: 60_000, minBytes: 0 },
      onExport: (outcome) => void outcomes.push(outcome),
      stopping: new AbortController().signal,
      ...source,
    },
    documents: [],
    metrics,
    log: createLog('query', 'silent'),
    failures,
  });
  const { perMinute } = options;
  const listener = createRequestListener({
    feedPath: () => false,
    fastPath: { respond: () => false } as unknown as CacheFastPath,
    app: app.callback(),
    countRequest: createRequestCounter(
      perMinute === undefined ? undefined : new RateLimit(perMinute),
      createClientOf(0),
      metrics,
    ),
    metrics,
    problemPages: '/api/docs/errors/',
  });
  const server: Server = createServer(listener).listen(0);
  await once(server, 'listening');
  return {
    outcomes,
    failed,
    url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api${path}`,
    async close() {
      failures.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Waits for an outcome. The client can receive the end of an export shortly before the service counts it. */
async function counted(outcomes: readonly ExportOutcome[], outcome: ExportOutcome): Promise<void> {
  while (!outcomes.includes(outcome)) await new Promise(setImmediate);
}

describe('routes of changes and export', () => {
  let close: () => Promise<void> = async () => undefined;
  const served = async (...args: Parameters<typeof serve>) => {
    const service = await serve(...args);
    close = service.close;
    return service;
  };
  afterEach(() => close());

  for (const [error, detail] of [
    [new Overloaded('the queue is full'), 'too many requests'],
    [new FeedUnavailable('down'), 'temporarily unavailable'],
    [new ChangesMissing(), '`replay` and `switch`'],
  ] as const)
    it(`refuse with 503 and Retry-After: ${error.name}`, async () => {
      const fails = () => Promise.reject(error);
      const { url } = await served({ read: fails, exportNumber: fails });
      for (const path of ['/changes', '/export']) {
        const response = await fetch(url(path));
        expect(response.status, path).to.equal(503);
        expect(Object.fromEntries(response.headers)).to.include({
          'content-type': 'application/problem+json',
          'cache-control': 'no-store',
          'retry-after': '5',
        });
        expect(await response.text()).to.include(detail);
      }
    });

  it('refuse a client beyond its rate limit with 429 and Retry-After', async () => {
    const { url, outcomes } = await served(
      { read: () => Promise.reject(new Overloaded('')) },
      { perMinute: 2 },
    );
    await fetch(url('/changes')).then((response) => response.text());
    await fetch(url('/export')).then((response) => response.text());
    for (const path of ['/changes', '/export', '/changes?afterChangeNumber=1']) {
      const response = await fetch(url(path));
      await response.text();
      expect(response.status, path).to.equal(429);
      expect(Number(response.headers.get('retry-after')), path).to.be.within(1, 60);
      expect(response.headers.get('ratelimit'), path).to.include('r=0');
    }
    await counted(outcomes, 'complete');
    expect(outcomes).to.deep.equal(['complete']);
  });

  it('respond to HEAD with the headers of GET, and open no export', async () => {
    const page = new Page({
      body: Buffer.from('{"items":[]}'),
      etag: 'W/"1"',
      cacheControl: 'public, max-age=2',
    });
    let exports = 0;
    const { url, outcomes } = await served({
      read: async () => ({
        page,
        ageSeconds: 1,
        outcome: 'miss',
        key: { criteria: '', dateVariant: '' },
        date: '',
      }),
      exportItems: async function* () {
        exports++;
        yield [item('a')];
      },
    });
    const headersOf = async (path: string, method: string) => {
      const response = await fetch(url(path), { method, headers: { 'Accept-Encoding': 'gzip' } });
      const text = await response.text();
      expect([response.status, text === ''], `${method} ${path}`).to.deep.equal([200, method === 'HEAD']);
      return [...response.headers].filter(([name]) => !OF_THE_CONNECTION.has(name));
    };
    const changes = await headersOf('/changes', 'HEAD');
    expect(changes).to.deep.equal(await headersOf('/changes', 'GET'));
    expect(Object.fromEntries(changes)).to.include({ age: '1', etag: 'W/"1"', 'content-length': '12' });
    const head = await headersOf('/export', 'HEAD');
    expect(exports).to.equal(0);
    expect(head).to.deep.equal(await headersOf('/export', 'GET'));
    expect(Object.fromEntries(head)).to.include({
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
    await counted(outcomes, 'complete');
    expect(outcomes).to.deep.equal(['complete']);
  });

  it('link an export to PUBLIC_URL, without the parameters of the request', async () => {
    const { url } = await served({}, { publicUrl: 'https://public.test' });
    const response = await fetch(url('/export?utm=1&after=x&limit=3'));
    await response.text();
    expect(response.headers.get('link')).to.equal(
      '<https://public.test/api/changes?afterChangeNumber=7>; rel="next"',
    );
  });

  it('close the items of an export if its headers are invalid', async () => {
    let closed = false;
    const exportItems: ChangesSource['exportItems'] = async function* () {
      try {
        yield [item('a')];
      } finally {
        closed = true;
      }
    };
    const { url, failed } = await served({ exportItems }, { publicUrl: 'https://public.test\n' });
    const response = await fetch(url('/export'));
    expect([response.status, closed]).to.deep.equal([500, true]);
    expect(failed).to.have.length(1);
  });

  it('refuse an export until the previous one has ended', async () => {
    const ends = Promise.withResolvers<void>();
    const { url, outcomes } = await served({
      exportItems: async function* () {
        yield [item('a')];
        await ends.promise;
      },
    });
    const first = await fetch(url('/export'), { headers: { 'X-Client': 'first' } });
    const refused = await fetch(url('/export'));
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect(outcomes).to.deep.equal(['refused']);
    ends.resolve();
    expect(await first.text()).to.equal('{"id":"a"}\n');
    await counted(outcomes, 'complete');
    expect(outcomes).to.deep.equal(['refused', 'complete']);
  });

  it('G4: one client has half of the places, and HEAD takes none', async () => {
    const ends = Promise.withResolvers<void>();
    const { url, outcomes } = await served({
      exports: new RunningExports(4),
      exportItems: async function* () {
        yield [item('a')];
        await ends.promise;
      },
    });
    const statusOf = async (client: string, method = 'GET') => {
      const response = await fetch(url('/export'), { method, headers: { 'X-Client': client } });
      if (response.status === 200) void response.text();
      return response.status;
    };
    expect([await statusOf('a'), await statusOf('a'), await statusOf('a')]).to.deep.equal([200, 200, 503]);
    expect(await statusOf('a', 'HEAD')).to.equal(200);
    expect([await statusOf('b'), await statusOf('c'), await statusOf('d')]).to.deep.equal([200, 200, 503]);
    expect(await statusOf('d', 'HEAD')).to.equal(200);
    expect(outcomes).to.deep.equal(['over_share', 'refused']);
    ends.resolve();
    while (outcomes.length < 6) await new Promise(setImmediate);
    expect(await statusOf('a')).to.equal(200);
  });

  for (const encoding of ['identity', 'gzip', 'br', 'zstd'])
    it(`break a failed export off, so that the client does not take it for complete (${encoding})`, async () => {
      const { url, outcomes, failed } = await served({
        exportItems: async function* () {
          yield [item('a')];
          throw new FeedUnavailable('down');
        },
      });
      const received = Promise.withResolvers<string>();
      const sent = request(url('/export'), { headers: { 'Accept-Encoding': encoding } }, (response) =>
        textOf(response).then(received.resolve, received.reject),
      );
      sent.on('error', received.reject).end();
      const error = await received.promise.catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error).and.include({ code: 'ECONNRESET' });
      expect([outcomes, failed.length]).to.deep.equal([['failed'], 1]);
    });

  for (const method of ['GET', 'HEAD'])
    it(`refuse an export that has sent nothing with 503 when the service stops, and report the stop (${method})`, async () => {
      const stopping = new AbortController();
      const searching = Promise.withResolvers<void>();
      const { url, outcomes, failed } = await served({
        stopping: stopping.signal,
        exportNumber: (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new FeedUnavailable('given up')));
            searching.resolve();
          }),
      });
      const answer = fetch(url('/export'), { method });
      await searching.promise;
      stopping.abort();
      const response = await answer;
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '5']);
      expect(failed.map(String)).to.deep.equal([
        'FeedUnavailable: could not search the feed: the service is stopping',
      ]);
      expect(outcomes).to.deep.equal([]);
    });

  it('end the search of an export when the service stops', async () => {
    const stopping = new AbortController();
    const searching = Promise.withResolvers<void>();
    const { url, outcomes } = await served({
      stopping: stopping.signal,
      exportItems: async function* (_, signal) {
        yield [item('a')];
        searching.resolve();
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    });
    // Without an encoder, the export waits for the next items when their search begins.
    const headers = { 'Accept-Encoding': 'identity' };
    const body = fetch(url('/export'), { headers }).then((response) => response.text());
    const broken = body.catch((error: unknown) => error);
    await searching.promise;
    stopping.abort();
    expect(await broken).to.be.instanceOf(Error);
    expect(outcomes).to.deep.equal(['stopped']);
  });
});
