import { setTimeout as delay } from 'node:timers/promises';
import { createElasticsearch, measureElasticsearch } from '@vitrine/runtime/elasticsearch';
import { ChangesClient } from './search/changes/changes-client.ts';
import { type ChangesSearch, createChangesSearch } from './search/changes/changes-search.ts';
import { ItemsClient } from './search/changes/items-client.ts';
import { createFeedSearch, type FeedSearch } from './search/feed-search.ts';
import { pageBytesOf, ResponseReader } from './search/response-reader.ts';
import { SearchLimiter } from './search/search-limiter.ts';
import type { QuerySettings } from './settings.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { TIME_LIMITS, type TimeLimits } from './time-limits.ts';

/** The searches of one process, which share its connections and its limits. */
export interface Searches {
  feed: FeedSearch;
  changes: ChangesSearch;
  itemsClient: ItemsClient;
  /** Admits pages and tool calls. */
  pages: SearchLimiter;
  /** Closes the points in time and the connections. The caller must wait for all pages first. */
  close(): Promise<void>;
}

export interface SearchesOptions {
  settings: QuerySettings;
  metrics: Metrics;
  /** `index.max_result_window` of the items indices. */
  resultWindow?: number | undefined;
  /** Whether the process is too busy to start new work. */
  isBusy: () => boolean;
  timeLimits?: TimeLimits | undefined;
}

/** Elasticsearch's default. */
const RESULT_WINDOW = 10_000;
/**
 * Pages share a point in time for as long as a page is fresh, but never longer than this limit because
 * Elasticsearch keeps old segments for a point in time.
 */
const MAX_POINT_IN_TIME_MS = 5_000;
/**
 * Number of connections in addition to the search connections: for the readiness probe, and for opening and
 * closing a point in time.
 */
const OTHER_CONNECTIONS = 3;
/** How long a page may wait in the limiter's queue, in milliseconds. */
const QUEUE_TIMEOUT_MS = 1_000;
/**
 * One out of this many concurrent searches may be a count of all items by distance, so that these slow
 * counts do not delay the other searches.
 */
const SEARCHES_PER_DISTANCE_COUNT = 8;
/** Maximum number of queued counts by distance per running count. */
const WAITING_PER_DISTANCE_COUNT = 2;
/**
 * How long a shutdown may wait for the point in time to close. Elasticsearch itself ends the point in time
 * within 40 s.
 */
const CLOSE_WITHIN_MS = 1_000;

/** Connects to Elasticsearch. The first search establishes the connection. */
export function createSearches({
  settings,
  metrics,
  resultWindow = RESULT_WINDOW,
  isBusy,
  timeLimits = TIME_LIMITS,
}: SearchesOptions): Searches {
  const { indexPrefix, searchConcurrency: limit } = settings;
  // The client does not retry because a 503 with Retry-After reaches the caller before a second attempt would
  // finish.
  const elasticsearch = createElasticsearch({
    ...settings.elasticsearch,
    requestTimeout: timeLimits.elasticsearch,
    maxRetries: 0,
    connections: limit + OTHER_CONNECTIONS,
  });
  measureElasticsearch(elasticsearch, metrics.registry);
  const limiter = new SearchLimiter({ limit });
  const responses = new ResponseReader(pageBytesOf(limit));
  const connection = { elasticsearch, responses, indexPrefix, limiter };
  const feed = createFeedSearch({
    ...connection,
    resultWindow,
    pointInTimeLifetimeMs: Math.min(settings.cacheFreshSeconds * 1_000, MAX_POINT_IN_TIME_MS),
    distanceCountLimiter: createDistanceCountLimiter(limit),
    duration: metrics.searchDuration,
  });
  const itemsClient = new ItemsClient(connection);
  const changes = createChangesSearch(new ChangesClient(connection), itemsClient);
  const pages = new SearchLimiter({ limit, queue: limit, queueTimeoutMs: QUEUE_TIMEOUT_MS, isBusy });
  metrics.watch('searches_running', () => limiter.running);
  metrics.watch('searches_waiting', () => pages.waiting + limiter.waiting);
  return {
    feed,
    changes,
    itemsClient,
    pages,
    async close() {
      const late = delay(CLOSE_WITHIN_MS, undefined, { ref: false });
      await Promise.race([Promise.all([feed.close(), changes.close()]), late]);
      await elasticsearch.close();
    },
  };
}

/**
 * Creates the limiter for the counts by distance that deep pages need
 * (docs/decisions/0023-deep-pages-by-distance.md).
 */
function createDistanceCountLimiter(searches: number): SearchLimiter {
  const limit = Math.max(Math.floor(searches / SEARCHES_PER_DISTANCE_COUNT), 1);
  return new SearchLimiter({
    limit,
    queue: WAITING_PER_DISTANCE_COUNT * limit,
    queueTimeoutMs: QUEUE_TIMEOUT_MS,
  });
}
