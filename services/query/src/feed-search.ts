import type { Client, estypes } from '@elastic/elasticsearch';
import { errors } from '@elastic/elasticsearch';
import { type ItemDocument, itemsAlias } from '@vitrine/feed-index';
import type { Histogram } from 'prom-client';
import { readDeepPage, totalOf } from './deep-page.ts';

/** An item as a search returns it; `calendar` only where it was asked for. */
export type FoundItem = Pick<ItemDocument, 'feed_item'> & Partial<Pick<ItemDocument, 'calendar'>>;

/** The items that can be taken on one date: how many, and their lowest and highest price in BRL. */
export interface DateOffers {
  date: string;
  items: number;
  minPrice: number;
  maxPrice: number;
}

/** What a search found: one page of items, the exact number of all, and the dates that it was asked to count. */
export interface FoundPage {
  total: number;
  items: FoundItem[];
  offersByDate: DateOffers[];
}

export interface FeedSearch {
  /**
   * One page, at any depth.
   * @param request as feedQuery makes it
   * @throws FeedUnavailable when there is no complete answer in time.
   */
  page(request: estypes.SearchRequest, signal: AbortSignal): Promise<FoundPage>;
  /** Settles when a search would be answered. @throws FeedUnavailable */
  probe(signal: AbortSignal): Promise<void>;
}

/** Elasticsearch is unreachable, late, without the feed's index, or has only a part of the answer. */
export class FeedUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the feed cannot be searched: ${reason}`, options);
    this.name = 'FeedUnavailable';
  }
}

export interface FeedSearchOptions {
  elasticsearch: Client;
  indexPrefix: string;
  /** The items indices' `index.max_result_window`: how deep `from` reaches. */
  resultWindow: number;
  /** Seconds that each page took, answered or not. */
  duration: Histogram;
}

/** Elasticsearch stops by itself before the caller gives up, so that no search goes on unheard. */
const SEARCH_TIMEOUT = '4s';
const POINT_IN_TIME_KEPT = '30s';

interface OffersAggregation {
  offers: { window: { dates: { buckets: { key: string; doc_count: number; min_price: { value: number }; max_price: { value: number } }[] } } };
}
type SearchResponse = estypes.SearchResponse<FoundItem, OffersAggregation>;

/** The one way from the query service to Elasticsearch. */
export function createFeedSearch({ elasticsearch, indexPrefix, resultWindow, duration }: FeedSearchOptions): FeedSearch {
  const index = itemsAlias(indexPrefix);

  const search = async (request: estypes.SearchRequest, signal: AbortSignal): Promise<SearchResponse> => {
    try {
      const response = await elasticsearch.search<FoundItem, OffersAggregation>({ timeout: SEARCH_TIMEOUT, ...request }, { signal });
      if (response.timed_out) throw new FeedUnavailable('timed out');
      if (response._shards.failed > 0) throw new FeedUnavailable(`${response._shards.failed} shards failed`);
      return response;
    } catch (error) {
      throw asUnavailable(error);
    }
  };

  /** Runs `use` with searches that all see the index as it is now. */
  const inPointInTime = async <T>(signal: AbortSignal, use: (search: (step: estypes.SearchRequest) => Promise<SearchResponse>) => Promise<T>) => {
    const opened = await elasticsearch.openPointInTime({ index, keep_alive: POINT_IN_TIME_KEPT }, { signal }).catch((error: unknown) => {
      throw asUnavailable(error);
    });
    let id = opened.id;
    try {
      return await use(async (step) => {
        const response = await search({ pit: { id, keep_alive: POINT_IN_TIME_KEPT }, ...step }, signal);
        id = response.pit_id ?? id;
        return response;
      });
    } finally {
      // Where this fails, the point in time ends by itself when its time is over.
      elasticsearch.closePointInTime({ id }).catch(() => undefined);
    }
  };

  const readPage = async (request: estypes.SearchRequest, signal: AbortSignal): Promise<FoundPage> => {
    const { from = 0, size = 0 } = request;
    if (from + size <= resultWindow) {
      const found = await search({ index, ...request }, signal);
      return foundPage(found, found.hits.hits);
    }
    const { counted, hits } = await inPointInTime(signal, (step) => readDeepPage(request, resultWindow, step));
    return foundPage(counted, hits);
  };

  return {
    async page(request, signal) {
      const stopClock = duration.startTimer();
      return readPage(request, signal).finally(() => stopClock());
    },
    async probe(signal) {
      await search({ index, size: 0, track_total_hits: false, query: { match_none: {} } }, signal);
    },
  };
}

function foundPage(counted: SearchResponse, hits: estypes.SearchHit<FoundItem>[]): FoundPage {
  const buckets = counted.aggregations?.offers.window.dates.buckets ?? [];
  return {
    total: totalOf(counted),
    items: hits.flatMap(({ _source }) => (_source ? [_source] : [])),
    offersByDate: buckets.map(({ key, doc_count, min_price, max_price }) => ({
      date: key,
      items: doc_count,
      minPrice: min_price.value,
      maxPrice: max_price.value,
    })),
  };
}

/** A refused search is a fault of this service, everything else the state of Elasticsearch. */
function asUnavailable(error: unknown): unknown {
  if (error instanceof FeedUnavailable) return error;
  if (error instanceof errors.ResponseError && error.statusCode === 400) return error;
  return new FeedUnavailable(error instanceof Error ? error.message : 'unknown reason', { cause: error });
}
