import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Router from '@koa/router';
import { createLog } from '@vitrine/runtime/log';
import { readWebFiles } from '@vitrine/web';
import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import { freshness } from '../cache/freshness.ts';
import { Page } from '../cache/page.ts';
import { PageCache } from '../cache/page-cache.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { SearchLimiter } from '../search/search-limiter.ts';
import { createFailureLog } from '../telemetry/failure-log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createApp } from './app.ts';
import { createChangesReader } from './read-changes.ts';
import { RunningExports } from './send-export.ts';
import { stubPages } from './stub-pages.ts';

/** Headers that differ between two equal requests. */
const BY_REQUEST = new Set(['date', 'x-request-id']);

/** A service without Elasticsearch, and the paths of all its GET routes. */
async function serve(publicUrl?: string) {
  const failures = createFailureLog(createLog('query', 'silent'));
  const page = new Page({ body: Buffer.from('{}'), etag: 'W/"1"' });
  const cache = new PageCache({
    maxBytes: 1_000_000,
    freshness: freshness(2, 0),
    flights: new SingleFlight(1_000),
    onRead: () => undefined,
    onFailure: () => undefined,
  });
  const unused = () => Promise.reject(new Error('not part of this test'));
  const caller = { endpoint: unused, callers: { hosts: [], origins: [] } } as never;
  const paths: string[] = [];
  /** The sizes of the bodies that count as unread. */
  const counted: number[] = [];
  const pages = stubPages(async () => ({
    page,
    ageSeconds: 0,
    outcome: 'miss',
    key: { criteria: '', dateVariant: '' },
    date: '',
  }));
  pages.unread.add = ({ length }) => void counted.push(length);
  const { register } = Router.prototype;
  Router.prototype.register = function (this: Router, path, methods, ...others) {
    const layer = register.call(this, path, methods, ...others);
    // An array of paths registers each of them.
    const isOne = !Array.isArray(path);
    if (isOne && methods.some((method) => /^get$/i.test(method))) paths.push(String(layer.path));
    return layer;
  } as typeof register;
  try {
    const app = createApp({
      basePath: '/api',
      publicUrl,
      pages,
      explorer: { readListing: unused, readNames: async () => 0, encoder: () => undefined },
      changes: {
        read: createChangesReader({
          search: {
            page: async () => ({
              kind: 'page',
              changes: [],
              isFull: true,
              upTo: 0,
              mayContinue: false,
              shownAt: performance.now(),
            }),
            exportNumber: async () => 1,
            close: async () => undefined,
          },
          limiter: new SearchLimiter({ limit: 1 }),
          cache,
          newBudget: () => new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9)),
          encoder: () => undefined,
          license: 'https://license.test/',
          today: () => '2026-12-01',
        }),
        onServed: () => undefined,
        exportNumber: async () => 7,
        exportItems: async function* () {
          yield [{ id: 'a', data: [Buffer.from('{"id":"a"}')] }];
        },
        exports: new RunningExports(1),
        clientOf: () => '',
        pace: { stallMs: 60_000, minBytes: 0 },
        onExport: () => undefined,
        stopping: new AbortController().signal,
      },
      mcp: caller,
      ucp: { run: unused as never, budgets: undefined as never, accountOf: undefined as never, mcp: caller },
      metrics: createMetrics(),
      log: createLog('query', 'silent'),
      failures,
    });
    const server: Server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const get = async (path: string, host: string) => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { host } }).end();
      const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
      const headers = Object.entries(response.headers).filter(([name]) => !BY_REQUEST.has(name));
      return {
        status: response.statusCode,
        headers: Object.fromEntries(headers),
        body: await text(response),
      };
    };
    return {
      get,
      counted,
      paths: [...new Set(paths)].flatMap((path) =>
        path.endsWith('/docs/{*page}')
          ? ADDRESSES
          : path.replace(':adType', 'sale').replace(':file', fileName()),
      ),
      close: () => {
        failures.stop();
        server.closeAllConnections();
        server.close();
      },
    };
  } finally {
    Router.prototype.register = register;
  }
}

/** A page that contains the service's address, one that does not, and one that has moved. */
const ADDRESSES = ['/api/docs/guides/crawlers', '/api/docs/pt-BR/reference/headers', '/api/docs/plain'];
const fileName = (): string => readWebFiles().values().next().value?.name ?? '';

describe('every route', function () {
  this.timeout(20_000);
  let service: Awaited<ReturnType<typeof serve>>;
  afterEach(() => service.close());

  /** The paths whose responses to two hosts differ. */
  const pathsByHost = async () => {
    const found: string[] = [];
    for (const path of service.paths) {
      const [one, other] = [await service.get(path, 'one.test'), await service.get(path, 'other.test')];
      // MCP refuses GET, and hosts that are not allowed.
      expect(one.status, path).to.be.oneOf([200, 308, 403, 405]);
      if (JSON.stringify(one) === JSON.stringify(other)) continue;
      found.push(path);
      const { 'cache-control': cacheControl = '', vary = '' } = one.headers;
      const isHonest = /no-store|private/.test(String(cacheControl)) || /\bHost\b/.test(String(vary));
      expect(isHonest, `${path} may be served to the clients of another host`).to.equal(true);
    }
    return found;
  };

  it('G10: tells shared caches if its response contains the host of the request', async () => {
    service = await serve();
    expect(service.paths.length).to.be.above(15);
    expect(await pathsByHost()).to.include.members([
      '/api/changes',
      '/api/export',
      '/api/docs/guides/crawlers',
      '/llms.txt',
      '/sitemap.xml',
      '/.well-known/ucp',
    ]);
  });

  it('G10: does not depend on the host if PUBLIC_URL is set', async () => {
    service = await serve('https://public.test');
    // These paths refuse hosts that are not allowed.
    expect(await pathsByHost()).to.deep.equal(['/mcp', '/mcp/', '/ucp/mcp', '/ucp/mcp/']);
    for (const path of service.paths)
      expect((await service.get(path, 'one.test')).headers['vary'], path).to.not.include('Host');
  });

  it('G6: states the length of its response, except of an export with items', async () => {
    service = await serve();
    const open: string[] = [];
    for (const path of service.paths) {
      const { headers } = await service.get(path, 'one.test');
      if (headers['content-length'] === undefined) open.push(path);
    }
    expect(open).to.deep.equal(['/api/export']);
  });

  it('G20: counts its whole body as unread, unless it is an export, which has its own pace', async () => {
    service = await serve();
    const unknown = ['/api/docs/unknown', '/api/docs/pt-BR/a/unknown', '/unknown'];
    for (const path of [...service.paths, ...unknown].filter((one) => one !== '/api/export')) {
      service.counted.length = 0;
      const { headers } = await service.get(path, 'one.test');
      expect(service.counted, path).to.deep.equal([Number(headers['content-length'])]);
    }
  });

  it('G3: repeats no long Host in a refusal', async () => {
    service = await serve();
    const host = `${'x'.repeat(8_000)}.test`;
    for (const path of ['/mcp', '/ucp/mcp']) {
      const { status, body } = await service.get(path, host);
      expect([status, body.length < 2_000], path).to.deep.equal([403, true]);
    }
  });
});
