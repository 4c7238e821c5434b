import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { freshness } from '../cache/freshness.ts';
import { Page } from '../cache/page.ts';
import { type CacheOutcome, PageCache } from '../cache/page-cache.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { CacheFastPath } from './cache-fast-path.ts';
import { UnreadBodies } from './limits/unread-bodies.ts';

describe('cache fast path', () => {
  const page = new Page({ body: Buffer.alloc(5_000, 'x'), etag: 'W/"1"' });
  const key = { criteria: 'key', dateVariant: '' };
  const reads: CacheOutcome[] = [];
  const cache = new PageCache({
    maxBytes: 1_000_000,
    freshness: freshness(5, 300),
    flights: new SingleFlight(1_000),
    onRead: (outcome) => reads.push(outcome),
    onFailure: () => undefined,
  });
  let today = '2026-12-01';
  const fastPath = new CacheFastPath({
    cache,
    cacheControl: 'max-age=5',
    metrics: createMetrics(),
    unread: new UnreadBodies(
      1_000_000,
      () => undefined,
      () => '',
    ),
    today: () => today,
  });
  let sent: string[] = [];
  const ask = (headers: Record<string, string>, url = '/feed'): boolean => {
    const response = {
      writableEnded: true,
      socket: { writableLength: 0 },
      writeHead: (_: number, names: string[]) => {
        sent = names;
        return response;
      },
      end: () => response,
    };
    const request = { method: 'GET', url, headers };
    return fastPath.respond(request as unknown as IncomingMessage, response as unknown as ServerResponse, []);
  };

  before(async () => {
    await cache.read(key, async () => page, new AbortController().signal);
    fastPath.remember('/feed', { operation: 'getPublicFeed', key, date: '2026-12-01', legacy: undefined });
  });
  beforeEach(() => {
    reads.length = 0;
  });

  it('counts a read if it responds, and otherwise leaves that to the app', async () => {
    expect([ask({ 'accept-encoding': 'br' }), reads]).to.deep.equal([false, []]);
    await page.body('br');
    expect([ask({ 'accept-encoding': 'br' }), reads]).to.deep.equal([true, ['fresh']]);
  });

  it('leaves a URL from an earlier date to the app', () => {
    today = '2026-12-02';
    expect([ask({}), reads]).to.deep.equal([false, []]);
    today = '2026-12-01';
    expect(ask({})).to.equal(true);
  });

  it('G10: varies by Host if its page is only valid for one', () => {
    fastPath.remember('/changes', {
      operation: 'getChanges',
      key,
      date: today,
      legacy: undefined,
      host: 'one.test',
    });
    expect(ask({ host: 'other.test' }, '/changes')).to.equal(false);
    expect(ask({ host: 'one.test' }, '/changes')).to.equal(true);
    expect(sent[sent.indexOf('Vary') + 1]).to.equal('Accept-Encoding, Host');
    ask({});
    expect(sent[sent.indexOf('Vary') + 1]).to.equal('Accept-Encoding');
  });

  it('leaves If-Match to the app', () => {
    expect([ask({ 'if-match': 'W/"1"' }), ask({ 'if-match': '*' }), reads]).to.deep.equal([false, false, []]);
    expect(ask({ 'if-none-match': 'W/"1"' })).to.equal(true);
  });
});
