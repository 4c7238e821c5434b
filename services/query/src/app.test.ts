import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@vitrine/runtime';
import { expect } from 'chai';
import { createApp } from './app.ts';
import { FeedUnavailable } from './feed-search.ts';
import { createMetrics } from './metrics.ts';
import type { ReadFeed } from './read-feed.ts';

describe('app', () => {
  let server: Server;
  let readFeed: ReadFeed;
  const get = (target: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${target}`);

  before(async () => {
    const app = createApp({
      basePath: '',
      requestsPerMinute: undefined,
      readFeed: (...request) => readFeed(...request),
      metrics: createMetrics(),
      log: createLog('query', 'silent'),
    });
    server = createServer(app.callback()).listen(0);
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('hands the feed, the ad type and the raw query on, and the bytes back', async () => {
    readFeed = async (feed, adType, query) => ({ body: JSON.stringify({ feed, adType, query }), etag: 'W/"1"' });
    const response = await get('/ai-feed/rent?page=%31&x');
    expect(await response.json()).to.deep.equal({ feed: 'ai-feed', adType: 'rent', query: 'page=%31&x' });
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'application/json',
      etag: 'W/"1"',
      'cache-control': 'public, max-age=5',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
  });

  it('says when to come again while the feed is unavailable', async () => {
    readFeed = () => Promise.reject(new FeedUnavailable('node secret-host is down'));
    const response = await get('/ai-feed');
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('5');
    expect(await response.json()).to.deep.equal({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The feed is not available now.',
    });
  });

  it('shows nothing of an error of its own', async () => {
    readFeed = () => Promise.reject(new TypeError('secret'));
    const response = await get('/public-feed');
    expect(response.status).to.equal(500);
    expect(response.headers.get('content-type')).to.equal('application/problem+json');
    expect(await response.json()).to.deep.equal({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'The request could not be answered.',
    });
  });
});
