import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Client, estypes } from '@elastic/elasticsearch';
import { itemsAlias } from '@vitrine/feed-index';
import type { Histogram } from 'prom-client';
import { ANY_ITEM, allOf, type Place, placeOf } from './feed-order.ts';
import type { FeedQuery } from './feed-query.ts';
import { Hints } from './hints.ts';
import { hitsAtRank } from './page-at-rank.ts';
import { hitsInReach } from './page-in-reach.ts';
import { createRankDirectory, once } from './rank-directory.ts';
import { readSearchAnswer } from './search-answer.ts';
import { type Snapshot, Snapshots } from './snapshots.ts';
import type { StoredItem } from './stored-item.ts';
import { type Matching, totalOf, totalRequest } from './stretch-searches.ts';
import { type Look, wholeOrder } from './stretch-split.ts';

/** An item as a search returns it. */
export type FoundItem = StoredItem & { place: Place };

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
   * One page, at any depth, for about the same cost.
   * @throws FeedUnavailable when there is no complete answer in time.
   */
  page(query: FeedQuery, signal: AbortSignal): Promise<FoundPage>;
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
  /** For so long pages show the same index, and what was counted for one of them serves the others. */
  snapshotLifetimeMs: number;
  /** Seconds that each page took, answered or not. */
  duration: Histogram;
}

/** Elasticsearch stops by itself before the caller gives up, so that no search goes on unheard. */
const SEARCH_TIMEOUT = '4s';
/** As much of a refusal as a log line needs. */
const MAX_REASON_BYTES = 500;
/** What a refusal of ourselves means, said first: the operator has to do something. */
const DENIED: Record<number, string> = {
  401: 'Elasticsearch does not accept our credentials, ',
  403: 'our credentials do not allow it, ',
};
/** The longest lifetime of a snapshot, and the longest request that began at its end. */
const SNAPSHOT_KEPT = '20s';
/** How many items are skipped one by one at most; what lies deeper goes by the rank directory. */
const REACH = 1_000;
/** The largest page, and one item more for the cursor. */
const LARGEST_READ = 101;

interface OffersAggregation {
  offers: { window: { dates: { buckets: { key: string; doc_count: number; min_price: { value: number }; max_price: { value: number } }[] } } };
}
type SearchResponse = estypes.SearchResponse<StoredItem, OffersAggregation>;

/** The one way from the query service to Elasticsearch. */
export function createFeedSearch({ elasticsearch, indexPrefix, resultWindow, snapshotLifetimeMs, duration }: FeedSearchOptions): FeedSearch {
  const index = itemsAlias(indexPrefix);
  const longest = Math.max(Math.min(REACH, resultWindow - LARGEST_READ), 1);

  /** The answer's bytes: the client would parse them, and what is served of them would have to be written again. */
  const post = async ({ index: searched, ...body }: estypes.SearchRequest, signal?: AbortSignal): Promise<Buffer> => {
    const path = searched === undefined ? '/_search' : `/${searched}/_search`;
    const options = { asStream: true, meta: true, ...(signal && { signal }) } as const;
    const { statusCode, bytes } = await elasticsearch.transport
      .request<Readable>({ method: 'POST', path, body, meta: { name: 'search' } }, options)
      .then(async (response) => ({ statusCode: response.statusCode, bytes: await bytesOf(response.body) }))
      .catch((error: unknown) => Promise.reject(asUnavailable(error)));
    if (statusCode === 200) return bytes;
    const reason = `${DENIED[statusCode ?? 0] ?? ''}${statusCode}: ${bytes.toString('utf8', 0, MAX_REASON_BYTES)}`;
    // A refused search is a fault of this service, everything else the state of Elasticsearch.
    throw statusCode === 400 ? new Error(`the search was refused, ${reason}`) : new FeedUnavailable(reason);
  };

  const search = async (request: estypes.SearchRequest, signal?: AbortSignal): Promise<SearchResponse> => {
    const response = readSearchAnswer<OffersAggregation>(await post({ timeout: SEARCH_TIMEOUT, ...request }, signal));
    if (response.timed_out) throw new FeedUnavailable('timed out');
    if (response._shards.failed > 0) throw new FeedUnavailable(`${response._shards.failed} shards failed`);
    return response;
  };

  const snapshots = new Snapshots({
    open: () =>
      elasticsearch.openPointInTime({ index, keep_alive: SNAPSHOT_KEPT }).then(
        ({ id }) => id,
        (error: unknown) => Promise.reject(asUnavailable(error)),
      ),
    close: (id) => elasticsearch.closePointInTime({ id }),
    lifetimeMs: snapshotLifetimeMs,
  });
  const searchIn = async (snapshot: Snapshot, request: estypes.SearchRequest, signal?: AbortSignal): Promise<SearchResponse> => {
    const response = await search({ pit: { id: snapshot.id }, ...request }, signal);
    snapshot.id = response.pit_id ?? snapshot.id;
    return response;
  };

  const everything: Matching = { clauses: [ANY_ITEM], order: 'newest' };
  const hints = new Hints(() =>
    snapshots.use(
      (snapshot) => wholeOrder(everything, (step) => searchIn(snapshot, step) as ReturnType<Look>),
      () => false,
    ),
  );

  const readIn = async ({ request, order }: FeedQuery, snapshot: Snapshot, signal: AbortSignal): Promise<FoundPage> => {
    const { query = allOf([]), post_filter, aggs, from = 0 } = request;
    const matching: Matching = { clauses: [query, ...(post_filter ? [post_filter] : [])], order };
    // What is counted serves every page of this snapshot, so it does not end with the request that came first.
    const look = (step: estypes.SearchRequest) => searchIn(snapshot, step) as ReturnType<Look>;
    const read = (step: estypes.SearchRequest) => searchIn(snapshot, step, signal);
    const offers = aggs && once(snapshot.directories, JSON.stringify({ query, aggs }), () => searchIn(snapshot, { size: 0, query, aggs }));
    const isDeep = from > longest;
    const directory = isDeep ? createRankDirectory(matching, longest, snapshot.directories, look) : undefined;
    const total =
      directory?.total() ?? once(snapshot.totals, JSON.stringify(matching.clauses), async () => totalOf(await look(totalRequest(matching))));
    const [count, hits, counted] = await Promise.all([
      total,
      directory ? hitsAtRank(request, matching, directory, read) : hitsInReach(request, matching, total, hints, read),
      offers,
    ]);
    return { total: count, items: itemsOf(hits), offersByDate: offersOf(counted) };
  };

  const readPage = (query: FeedQuery, signal: AbortSignal): Promise<FoundPage> => {
    const found = snapshots.use(
      (snapshot) => readIn(query, snapshot, signal),
      (error) => error instanceof FeedUnavailable && !signal.aborted,
    );
    return orAborted(found, signal);
  };

  return {
    async page(query, signal) {
      const stopClock = duration.startTimer();
      return readPage(query, signal).finally(() => stopClock());
    },
    async probe(signal) {
      await search({ index, size: 0, track_total_hits: false, query: { match_none: {} } }, signal);
    },
  };
}

const itemsOf = (hits: estypes.SearchHit<StoredItem>[]): FoundItem[] =>
  hits.flatMap(({ _source, sort }) => (_source ? [{ ..._source, place: placeOf(sort) }] : []));

function offersOf(counted: SearchResponse | undefined): DateOffers[] {
  const buckets = counted?.aggregations?.offers.window.dates.buckets ?? [];
  return buckets.map(({ key, doc_count, min_price, max_price }) => ({
    date: key,
    items: doc_count,
    minPrice: min_price.value,
    maxPrice: max_price.value,
  }));
}

/** Waits for `work` no longer than its caller does; `work` itself goes on. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new FeedUnavailable('given up'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What `node:stream/consumers` does by way of a Blob, at several times the cost. */
async function bytesOf(body: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  body.on('data', (piece: Buffer) => pieces.push(piece));
  await finished(body);
  return Buffer.concat(pieces);
}

/** What is in the way of an answer, as the state of Elasticsearch. */
function asUnavailable(error: unknown): FeedUnavailable {
  return new FeedUnavailable(error instanceof Error ? error.message : 'unknown reason', { cause: error });
}
