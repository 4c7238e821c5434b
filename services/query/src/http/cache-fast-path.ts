import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { PageCache, PageKey } from '../cache/page-cache.ts';
import { preconditionsOf } from '../headers/preconditions.ts';
import { readHeader } from '../headers/request-headers.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { UnreadBodies } from './limits/unread-bodies.ts';
import { type LegacyHeaders, pageResponse } from './page-response.ts';

/** The meaning of a request URL, which the app determined for an earlier request. */
export interface KnownUrl {
  operation: string;
  /** The cache key of the URL's page on `date`. */
  key: PageKey;
  /** The date on which the earlier request started, YYYY-MM-DD. */
  date: string;
  legacy: LegacyHeaders | undefined;
  /** The cache that has the page. The default is the cache of the feeds. */
  cache?: PageCache;
  /** The only Host for which the page is valid, if the page contains URLs with the host of its request. */
  host?: string | undefined;
}

export interface CacheFastPathOptions {
  cache: PageCache;
  cacheControl: string;
  metrics: Metrics;
  unread: UnreadBodies;
  /** Returns today's date as YYYY-MM-DD. */
  today: () => string;
}

const MAX_URLS_BYTES = 8 * 1024 * 1024;
const URL_OVERHEAD_BYTES = 500;

/**
 * The fast path for cached pages in the requested content encoding. The fast path finds a page by the
 * unparsed request URL, and therefore skips Koa, the router and parameter parsing.
 */
export class CacheFastPath {
  readonly #options: CacheFastPathOptions;
  readonly #urls = new LRUCache<string, KnownUrl>({
    maxSize: MAX_URLS_BYTES,
    sizeCalculation: ({ key }, url) => 2 * (key.criteria.length + url.length) + URL_OVERHEAD_BYTES,
  });

  constructor(options: CacheFastPathOptions) {
    this.#options = options;
  }

  /** @param url as written in the request line */
  remember(url: string, known: KnownUrl): void {
    this.#urls.set(url, known);
  }

  /**
   * Responds to a request if the cache can serve its page immediately.
   * @param extraHeaders headers in addition to those of the page, as alternating names and values
   * @returns whether this function sent the response
   */
  respond(
    { method, url = '', headers }: IncomingMessage,
    response: ServerResponse,
    extraHeaders: readonly string[],
  ): boolean {
    const known = this.#urls.get(url);
    if (!known || (method !== 'GET' && method !== 'HEAD')) return false;
    const { cacheControl, metrics, today, unread } = this.#options;
    const { cache = this.#options.cache, host } = known;
    if (known.date !== today()) return false;
    if (host !== undefined && host !== headers.host) return false;
    const preconditions = preconditionsOf(headers);
    // If-Match is rare and can lead to a problem document, so the app evaluates it.
    if (preconditions.ifMatch !== undefined) return false;
    const start = performance.now();
    const served = cache.peek(known.key);
    const body = served?.page.existingBody(served.page.encodingFor(readHeader(headers, 'accept-encoding')));
    if (!served || !body) return false;
    cache.count(served);
    const {
      status,
      headers: names,
      body: bytes,
    } = pageResponse(
      served,
      body,
      { ...preconditions, legacy: known.legacy, variesByHost: host !== undefined },
      cacheControl,
    );
    response.writeHead(status, [...names, ...extraHeaders]).end(bytes);
    if (bytes) unread.add(bytes, response);
    metrics.countResponse(known.operation, status, (performance.now() - start) / 1_000, served.outcome);
    return true;
  }
}
