import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { Page } from '../cache/page.ts';
import { Abandoned } from '../cache/single-flight.ts';
import { Problem } from '../contract/problem.ts';
import type { ContentEncoding } from '../response/content-encoding.ts';
import { encode } from '../response/content-encoding.ts';
import { FeedUnavailable } from '../search/search-failure.ts';
import { Overloaded } from '../search/search-limiter.ts';
import { createFailureLog } from '../telemetry/failure-log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { type AppOptions, createApp } from './app.ts';
import { createFeedPath } from './feed-path.ts';
import type { ReadFeed } from './read-feed.ts';
import { stubPages } from './stub-pages.ts';

/**
 * Koa must answer like the path of an ordinary page, because Koa receives unusual forms of the same request.
 */
for (const isOnlyKoa of [false, true])
  describe(isOnlyKoa ? 'app without the path of an ordinary page' : 'app', () => {
    let server: Server;
    let readFeed: ReadFeed;
    let encoded: ContentEncoding[] = [];
    let encodes = true;
    const encoder = (content: Buffer, coding: ContentEncoding) => {
      encoded.push(coding);
      return encodes ? encode(content, coding) : Promise.reject(new Error('secret'));
    };
    const pageOf = (body: string, link?: string) => ({
      page: new Page({ body: Buffer.from(body), etag: 'W/"1"', ...(link && { link }) }),
      ageSeconds: 0,
      outcome: 'miss' as const,
      key: { criteria: '', dateVariant: '' },
      date: '2026-12-01',
    });
    const url = (target: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${target}`;
    const get = (target: string) => fetch(url(target));

    const metrics = createMetrics();
    const failed: unknown[] = [];
    const failures = {
      ...createFailureLog(createLog('query', 'silent')),
      requestFailed: (error: unknown) => void failed.push(error),
    };

    before(async () => {
      const options: AppOptions = {
        basePath: '',
        pages: stubPages((...request) => readFeed(...request)),
        documents: [
          {
            path: '/document',
            page: new Page(
              {
                body: Buffer.from('<p>'.repeat(1_000)),
                contentType: 'text/html; charset=utf-8',
                etag: 'W/"d"',
              },
              encoder,
            ),
          },
        ],
        metrics,
        log: createLog('query', 'silent'),
        failures,
      };
      const [feedPath, app] = [createFeedPath(options), createApp(options).callback()];
      server = createServer((asked, response) => {
        if (!isOnlyKoa && feedPath(asked, response, [], '')) return;
        void app(asked, response);
      }).listen(0);
      await once(server, 'listening');
    });
    after(() => {
      failures.stop();
      server.closeAllConnections();
      server.close();
    });

    it('passes on the feed, the ad type and the raw query, and returns the bytes', async () => {
      readFeed = async (feed, adType, query) => pageOf(JSON.stringify({ feed, adType, query }));
      const response = await get('/ai-feed/rent?page=%31&x');
      expect(await response.json()).to.deep.equal({ feed: 'ai-feed', adType: 'rent', query: 'page=%31&x' });
      expect(Object.fromEntries(response.headers)).to.include({
        'content-type': 'application/json',
        etag: 'W/"1"',
        'cache-control': 'public, max-age=7',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      });
    });

    it('adds the deprecation link to every response to a legacy name', async () => {
      readFeed = async () => pageOf('{}', '<?page=2>; rel="next"');
      const legacy = '</docs/crawlers#legacy-names>; rel="deprecation"; type="text/html"';
      const [modern, old] = [await get('/ai-feed?city=x'), await get('/ai-feed?cidade=x')];
      expect([modern.headers.get('link'), modern.headers.get('deprecation')]).to.deep.equal([
        '<?page=2>; rel="next"',
        null,
      ]);
      expect(old.headers.get('link')).to.equal(`${legacy}, <?page=2>; rel="next"`);
      expect(old.headers.get('deprecation')).to.match(/^@\d+$/);
      readFeed = () => Promise.reject(new Problem('invalid-parameters', 'bad'));
      const refused = await get('/ai-feed?cidade=x');
      expect([refused.status, refused.headers.get('link')]).to.deep.equal([400, legacy]);
    });

    it('responds 304 with the headers of the 200', async () => {
      readFeed = async () => pageOf('{}', '<?page=2>; rel="next"');
      const response = await fetch(url('/ai-feed'), { headers: { 'if-none-match': '"0", "1"' } });
      expect(response.status).to.equal(304);
      expect(Object.fromEntries(response.headers)).to.include({
        etag: 'W/"1"',
        'cache-control': 'public, max-age=7',
        link: '<?page=2>; rel="next"',
        vary: 'Accept-Encoding',
      });
    });

    it('compresses large bodies in the requested encoding', async () => {
      const body = JSON.stringify('x'.repeat(5_000));
      readFeed = async () => pageOf(body);
      for (const coding of ['br', 'gzip', 'zstd', 'identity']) {
        const response = await fetch(url('/ai-feed'), { headers: { 'accept-encoding': coding } });
        expect(response.headers.get('content-encoding')).to.equal(coding === 'identity' ? null : coding);
        expect(Number(response.headers.get('content-length'))).to.be.below(
          coding === 'identity' ? 6_000 : 200,
        );
        expect(response.headers.get('content-type')).to.equal('application/json');
        expect(await response.text()).to.equal(body);
      }
      readFeed = async () => pageOf('{}');
      expect(
        (await fetch(url('/ai-feed'), { headers: { 'accept-encoding': 'br' } })).headers.get(
          'content-encoding',
        ),
      ).to.equal(null);
    });

    it('responds 412 if If-Match lists a tag, unless the response is another error', async () => {
      readFeed = async () => pageOf('{}');
      const match = (target: string, value: string) => fetch(url(target), { headers: { 'if-match': value } });
      for (const target of ['/ai-feed', '/document']) {
        const refused = await match(target, '"1", W/"1", W/"d"');
        expect([refused.status, refused.headers.get('content-type')], target).to.deep.equal([
          412,
          'application/problem+json',
        ]);
        expect(await refused.json()).to.include({ status: 412, title: 'Precondition failed' });
        expect((await match(target, '*')).status, target).to.equal(200);
      }
      expect((await match('/nowhere', '"1"')).status).to.equal(404);
      expect(
        (await fetch(url('/ai-feed'), { method: 'OPTIONS', headers: { 'if-match': '"1"' } })).status,
      ).to.equal(204);
      readFeed = () => Promise.reject(new Problem('invalid-parameters', 'bad'));
      expect((await match('/ai-feed', '"1"')).status).to.equal(400);
    });

    it('encodes a document once for many requests', async () => {
      encoded = [];
      const ask = async () =>
        (await fetch(url('/document'), { headers: { 'accept-encoding': 'br' } })).text();
      const bodies = [...(await Promise.all(Array.from({ length: 5 }, ask))), await ask()];
      expect(new Set(bodies)).to.deep.equal(new Set(['<p>'.repeat(1_000)]));
      expect(encoded).to.deep.equal(['br']);
      const response = await fetch(url('/document'), { headers: { 'if-none-match': 'W/"d"' } });
      expect(response.status).to.equal(304);
    });

    it('responds with a problem document if a document cannot be encoded, and recovers', async () => {
      encodes = false;
      const zstd = () => fetch(url('/document'), { headers: { 'accept-encoding': 'zstd' } });
      const failed = await zstd();
      encodes = true;
      expect([failed.status, failed.headers.get('content-type')]).to.deep.equal([
        500,
        'application/problem+json',
      ]);
      expect(await failed.text()).not.to.include('secret');
      expect((await zstd()).headers.get('content-encoding')).to.equal('zstd');
    });

    it('responds to OPTIONS * and refuses other methods for it', async () => {
      const ask = async (method: string) => {
        const { port } = server.address() as AddressInfo;
        const [response] = (await once(
          request({ port, method, path: '*', agent: false }).end(),
          'response',
        )) as [IncomingMessage];
        response.resume();
        return [response.statusCode, response.headers.allow];
      };
      expect(await ask('OPTIONS')).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
      expect(await ask('GET')).to.deep.equal([404, undefined]);
    });

    it('refuses a request target that is too long', async () => {
      readFeed = async () => pageOf('{}');
      expect((await get(`/ai-feed?${'a'.repeat(8_180)}`)).status).to.equal(200);
      expect((await get(`/ai-feed?${'a'.repeat(8_190)}`)).status).to.equal(414);
    });

    it('sends Retry-After while the feed is unavailable', async () => {
      readFeed = () => Promise.reject(new FeedUnavailable('node secret-host is down'));
      const response = await get('/ai-feed');
      expect(response.status).to.equal(503);
      expect(response.headers.get('retry-after')).to.equal('5');
      expect(await response.json()).to.deep.equal({
        type: '/docs/errors/unavailable',
        title: 'Feed unavailable',
        status: 503,
        detail: 'The feed is temporarily unavailable.',
      });
    });

    it('sends Retry-After during an overload', async () => {
      readFeed = () => Promise.reject(new Overloaded('the line is full'));
      const response = await get('/ai-feed');
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '5']);
      expect(await response.json()).to.include({ detail: 'The service is handling too many requests.' });
    });

    it('reports every 5xx, and nothing else, to the failure log', async () => {
      failed.length = 0;
      const errors = [
        new FeedUnavailable('down'),
        new Overloaded('full'),
        new TypeError('x'),
        new Problem('invalid-parameters', 'bad'),
      ];
      for (const error of errors) {
        readFeed = () => Promise.reject(error);
        await get('/ai-feed');
      }
      expect(failed).to.deep.equal(errors.slice(0, 3));
    });

    it('does not count a disconnected client as a failure, including its pipelined requests', async () => {
      failed.length = 0;
      let waiting = 0;
      const isOver = Promise.withResolvers<void>();
      readFeed = async (_feed, _adType, _query, signal) => {
        waiting++;
        await once(signal, 'abort');
        if (--waiting === 0) isOver.resolve();
        throw new Abandoned('the caller gave up');
      };
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.write('GET /ai-feed HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
      while (waiting < 3) await pass(5);
      socket.destroy();
      await isOver.promise;
      await pass(20);
      expect(failed).to.deep.equal([]);
      expect(await metrics.registry.getSingleMetricAsString('http_requests_total')).to.include(
        'status="499",cache="none"} 3',
      );
    });

    it('reveals nothing of an internal error', async () => {
      readFeed = () => Promise.reject(new TypeError('secret'));
      const response = await get('/public-feed');
      expect(response.status).to.equal(500);
      expect(response.headers.get('content-type')).to.equal('application/problem+json');
      expect(await response.json()).to.deep.equal({
        type: '/docs/errors/internal-error',
        title: 'Internal error',
        status: 500,
        detail: 'The service could not process this request.',
      });
    });
  });
