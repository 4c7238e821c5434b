import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import { itemsAlias } from '@vitrine/feed-index';
import { readSearchResponse } from '../stored/search-response.ts';
import type { StoredItem } from '../stored/stored-item.ts';
import {
  checkSearchResponse,
  checkSearchStatus,
  expectResponse,
  isObject,
  objectIn,
  pointInTimeOf,
  readResponse,
} from './checked-response.ts';
import type { SendSearch } from './direct-search.ts';
import { field } from './order/feed-order.ts';
import { postSearch } from './post-search.ts';
import type { ResponseReader } from './response-reader.ts';
import { incompleteSearch, refusedSearch, unreachable } from './search-failure.ts';
import type { SearchLimiter } from './search-limiter.ts';

/** Sends all requests of the query service to Elasticsearch. */
export interface SearchClient {
  /**
   * Searches the point in time of the request, or the current items, within the limit of concurrent searches.
   * The promise settles only after Elasticsearch has stopped working on the search, which can be some time
   * after `signal` aborts.
   * @param maxBytes maximum size of the response, if it is below the limit for every response
   * @throws FeedUnavailable, PointInTimeLost, Overloaded, PageTooLarge
   */
  search<Aggregations>(
    request: estypes.SearchRequest,
    signal: AbortSignal,
    maxBytes?: number,
  ): Promise<estypes.SearchResponse<StoredItem, Aggregations>>;
  /** Sends one cheap search to the items index, outside the limit. @throws FeedUnavailable */
  probe(signal: AbortSignal): Promise<void>;
  /** Opens a point in time of the items. @returns its id. @throws FeedUnavailable */
  openPointInTime(): Promise<string>;
  /** Whether an index has a field. Without `ofIndex`, checks the live items index. @throws FeedUnavailable */
  hasField(name: string, ofIndex?: string): Promise<boolean>;
  closePointInTime(id: string): Promise<void>;
}

/** The objects that all searches in a process share. */
export interface SearchConnection {
  elasticsearch: Client;
  /** Reads responses within the memory limits. */
  responses: ResponseReader;
  indexPrefix: string;
  /** Limits the number of searches in progress in Elasticsearch. */
  limiter: SearchLimiter;
}

export interface SearchClientOptions extends SearchConnection {
  /** Only tests set this option. */
  cancellation?: CancellationTimes;
  /** Only tests set this option. */
  send?: SendSearch;
}

/** Both times are in milliseconds (docs/decisions/0022-search-limiter.md). */
interface CancellationTimes {
  /**
   * How long a search continues after its last reader has disconnected. Most searches finish sooner, and for
   * Elasticsearch, cancelling a search takes longer than completing it.
   */
  abandonedMs: number;
  /**
   * How long Elasticsearch may continue to work on a search after its connection is closed. Every measured
   * value was smaller.
   */
  endingMs: number;
}

/** This is shorter than the client's timeout, so no search continues in Elasticsearch without a reader. */
const SEARCH_TIMEOUT = '4s';
/**
 * This is longer than the time for which pages share a point in time, plus the duration of the longest
 * request that begins at the end of that time.
 */
const POINT_IN_TIME_KEPT = '20s';
/**
 * The first probe makes the same demands on the cluster's settings as the most demanding searches: a nested
 * query and 20,000 buckets. The probe finds no item, so it costs milliseconds.
 */
const DEMANDING: estypes.SearchRequest = {
  query: {
    nested: {
      path: field('offers'),
      ignore_unmapped: true,
      query: { term: { [`${field('offers')}.date`]: 'none' } },
    },
  },
  aggs: {
    buckets: {
      histogram: {
        field: field('published_at'),
        interval: 1,
        min_doc_count: 0,
        extended_bounds: { min: 1, max: 20_000 },
      },
    },
  },
};
const CANCELLATION: CancellationTimes = { abandonedMs: 500, endingMs: 2_000 };

export function createSearchClient({
  elasticsearch,
  responses,
  indexPrefix,
  limiter,
  cancellation = CANCELLATION,
  send: sendBytes,
}: SearchClientOptions): SearchClient {
  const index = itemsAlias(indexPrefix);
  /** Identifies the service's searches in Elasticsearch's task list and slow log. */
  const opaqueId = `vitrine-query/${indexPrefix}`;

  const send = (
    path: string,
    body: estypes.SearchRequest,
    signal: AbortSignal,
    { name = opaqueId, maxBytes }: { name?: string; maxBytes?: number | undefined } = {},
  ): Promise<Buffer> =>
    postSearch({ elasticsearch, responses, ...(sendBytes && { send: sendBytes }) }, path, body, {
      hits: body.size ?? 0,
      maxBytes,
      opaqueId: name,
      signal,
    });

  const sendWithinLimit = async (
    body: estypes.SearchRequest,
    signal: AbortSignal,
    maxBytes: number | undefined,
  ): Promise<Buffer> => {
    const release = await limiter.enter(signal);
    const connection = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const abandon = () => {
      timer = setTimeout(() => connection.abort(), cancellation.abandonedMs);
    };
    signal.addEventListener('abort', abandon);
    // The caller may have disconnected after the limiter granted the slot.
    if (signal.aborted) abandon();
    try {
      const path = body.pit ? '/_search' : `/${index}/_search`;
      const bytes = await send(path, body, connection.signal, { maxBytes });
      release();
      return bytes;
    } catch (error) {
      if (isStillRunning(error)) setTimeout(release, cancellation.endingMs).unref();
      else release();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abandon);
    }
  };

  let isCapable = false;

  return {
    async search<Aggregations>(request: estypes.SearchRequest, signal: AbortSignal, maxBytes?: number) {
      const bytes = await sendWithinLimit({ timeout: SEARCH_TIMEOUT, ...request }, signal, maxBytes).catch(
        asUnavailable,
      );
      return complete<Aggregations>(bytes, request);
    },
    async probe(signal) {
      const request = {
        timeout: SEARCH_TIMEOUT,
        size: 0,
        track_total_hits: false,
        ...(isCapable ? { query: { match_none: {} } } : DEMANDING),
      };
      complete(
        await send(`/${index}/_search`, request, signal, { name: `${opaqueId}/probe` }).catch(asUnavailable),
        request,
      );
      isCapable = true;
    },
    async openPointInTime() {
      const opened = await elasticsearch
        .openPointInTime({ index, keep_alive: POINT_IN_TIME_KEPT }, { opaqueId })
        .catch(asUnavailable);
      return pointInTimeOf(opened);
    },
    async hasField(name, ofIndex = index) {
      const { fields } = objectIn(
        'a question for fields',
        await elasticsearch.fieldCaps({ index: ofIndex, fields: [name] }, { opaqueId }).catch(asUnavailable),
      );
      expectResponse(isObject(fields), 'a question for fields', 'fields');
      return name in fields;
    },
    async closePointInTime(id) {
      await elasticsearch.closePointInTime({ id }, { opaqueId });
    },
  };
}

/** Returns whether Elasticsearch may still be working on a request that failed with `error`. */
const isStillRunning = (error: unknown): boolean =>
  error instanceof errors.RequestAbortedError || error instanceof errors.TimeoutError;

/**
 * Errors from the client library and the stream mean that Elasticsearch did not respond. All other errors are
 * bugs in this service.
 */
function asUnavailable(error: unknown): never {
  const isOfTheConnection =
    error instanceof errors.ElasticsearchClientError || (error instanceof Error && 'code' in error);
  throw isOfTheConnection ? unreachable(error) : error;
}

/** Reads the complete response of a search. @throws FeedUnavailable */
function complete<Aggregations>(
  bytes: Buffer,
  request: estypes.SearchRequest,
): estypes.SearchResponse<StoredItem, Aggregations> {
  const response = readResponse('a search', () => readSearchResponse<Aggregations>(bytes));
  checkSearchStatus(response);
  const failure = incompleteSearch(response);
  if (failure) throw failure;
  checkSearchResponse(request, response);
  return response;
}

/** Returns whether Elasticsearch could not read a document because no copy of its shard has started. */
export const isShardStarting = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.body?.error?.type === 'no_shard_available_action_exception';

/**
 * Throws the failure of a request for changes. Elasticsearch's error types tell a lost point in time from
 * other failures.
 * @throws FeedUnavailable, PointInTimeLost; an Error if the request itself was at fault
 */
export function asSearchFailure(error: unknown): never {
  if (error instanceof errors.ResponseError)
    throw refusedSearch(error.statusCode ?? 0, Buffer.from(JSON.stringify(error.body ?? null)));
  return asUnavailable(error);
}
