import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Page } from '../cache/page.ts';
import type { PageCache, PageName } from '../cache/page-cache.ts';
import { preconditionsOf } from '../headers/preconditions.ts';
import { readHeader } from '../headers/request-headers.ts';
import type { ContentCoding } from '../response/content-encoding.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type LegacyHeaders, pageAnswer } from './page-response.ts';
import type { UnreadBodies } from './unread-bodies.ts';

/** The meaning of a request target, as the app determined it for an earlier request. */
export interface KnownTarget {
  /** The operation id. */
  operation: string;
  /** The name of its page on `date`. */
  name: PageName;
  /** The date on which the earlier request started, YYYY-MM-DD. */
  date: string;
  legacy: LegacyHeaders | undefined;
}

export interface QuickAnswersOptions {
  cache: PageCache;
  cacheControl: string;
  metrics: Metrics;
  unread: UnreadBodies;
  /** Today's date, YYYY-MM-DD. */
  today: () => string;
}

const MAX_TARGETS_BYTES = 8 * 1024 * 1024;
const TARGET_OVERHEAD_BYTES = 500;
/** Clients send only a few spellings of Accept-Encoding. A longer one is parsed on each request. */
const MAX_SPELLINGS = 500;
const LONGEST_SPELLING = 100;

/**
 * The fast path for cached pages in the requested content encoding. It finds a page by the request target as
 * written, and skips Koa, the router and the parsing of parameters.
 */
export class QuickAnswers {
  readonly #options: QuickAnswersOptions;
  readonly #targets = new LRUCache<string, KnownTarget>({
    maxSize: MAX_TARGETS_BYTES,
    sizeCalculation: ({ name }, target) => 2 * (name.key.length + target.length) + TARGET_OVERHEAD_BYTES,
  });
  readonly #codings = new LRUCache<string, { coding: ContentCoding | undefined }>({ max: MAX_SPELLINGS });

  constructor(options: QuickAnswersOptions) {
    this.#options = options;
  }

  /** @param target as written in the request line */
  remember(target: string, known: KnownTarget): void {
    this.#targets.set(target, known);
  }

  /**
   * Answers a request if its page can be served at once.
   * @param more headers in addition to those of the page, names and values alternating
   * @returns whether the request was answered
   */
  answer({ method, url = '', headers }: IncomingMessage, response: ServerResponse, more: readonly string[]): boolean {
    const known = this.#targets.get(url);
    if (!known || (method !== 'GET' && method !== 'HEAD')) return false;
    const { cache, cacheControl, metrics, today, unread } = this.#options;
    if (known.date !== today()) return false;
    const preconditions = preconditionsOf(headers);
    // If-Match is rare and can lead to a problem document, so the app evaluates it.
    if (preconditions.ifMatch !== undefined) return false;
    const start = performance.now();
    const served = cache.peek(known.name);
    const body = served?.page.ready(this.#codingFor(served.page, readHeader(headers, 'accept-encoding')));
    if (!served || !body) return false;
    cache.count(served);
    const answer = pageAnswer(served, body, { ...preconditions, legacy: known.legacy }, cacheControl);
    answer.headers.push(...more);
    response.writeHead(answer.status, answer.headers).end(answer.body);
    if (answer.body) unread.add(answer.body, response);
    metrics.answered(known.operation, answer.status, (performance.now() - start) / 1_000, served.outcome);
    return true;
  }

  #codingFor(page: Page, spelling = ''): ContentCoding | undefined {
    if (spelling.length > LONGEST_SPELLING) return page.codingFor(spelling);
    const name = `${page.isWorthCoding ? '+' : '-'}${spelling}`;
    const known = this.#codings.get(name);
    if (known) return known.coding;
    const coding = page.codingFor(spelling);
    this.#codings.set(name, { coding });
    return coding;
  }
}
