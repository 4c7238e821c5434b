import { setTimeout as sleep } from 'node:timers/promises';
import type { estypes } from '@elastic/elasticsearch';
import {
  CHANGES_HISTORY_ID,
  type ChangeEntry,
  type ChangesHistory,
  changesHistoryIndex,
  generationNames,
  type HistoryDocument,
  type LiveChanges,
  liveChangesNames,
  liveChangesOf,
} from '@vitrine/feed-index';
import {
  checkSearchResponse,
  checkSearchStatus,
  expectResponse,
  isIndexMissing,
  isObject,
  objectIn,
  pointInTimeOf,
  readResponse,
} from '../checked-response.ts';
import { postSearch } from '../post-search.ts';
import { asSearchFailure, isShardStarting, type SearchConnection } from '../search-client.ts';
import { FeedUnavailable, incompleteSearch } from '../search-failure.ts';
import { type ChangesFilter, entrySearch } from './changes-filter.ts';
import { historyOf } from './found-history.ts';
import { countsOf, type KindCounts, kindAggregation } from './kind-counts.ts';

/** The range of an entry search: `after` < `_seq_no` <= `upTo`. */
export interface EntryRange {
  after: number;
  upTo: number;
}

export interface FoundChange {
  id: string;
  sequence: number;
  entry: ChangeEntry;
}

export interface FoundEntries {
  entries: FoundChange[];
  /** The counts for the whole range. They are absent if the filter has no `since`. */
  counts?: KindCounts;
}

const SEARCH_TIMEOUT = '4s';
const HISTORY_RETRY_MS = 100;
/** A busy Elasticsearch can take seconds to start a shard. The deadline for a changes request is later. */
const HISTORY_WITHIN_MS = 10_000;

/** This exceeds the sum of a view's lifetime, 20 s of further use, and a request's deadline. */
const POINT_IN_TIME_KEPT = '40s';

/**
 * Sends the requests for the changes. All methods throw FeedUnavailable if Elasticsearch does not
 * respond in time, and PointInTimeLost if an index or a point in time is missing.
 */
export class ChangesClient {
  readonly #options: SearchConnection;
  readonly #opaqueId: string;
  readonly #withDetails = new Map<number, Promise<boolean>>();

  constructor(options: SearchConnection) {
    this.#options = options;
    this.#opaqueId = `vitrine-query/${options.indexPrefix}/changes`;
  }

  /** Returns the live epoch and generation, or undefined if the live generation has no changes index. */
  async live(): Promise<LiveChanges | undefined> {
    const { elasticsearch, indexPrefix } = this.#options;
    const what = 'the look-up of the live changes';
    const found = await elasticsearch.indices
      .resolveIndex({ name: liveChangesNames(indexPrefix) }, { opaqueId: this.#opaqueId })
      .catch(asSearchFailure);
    const { aliases } = objectIn(what, found);
    expectResponse(
      Array.isArray(aliases) && aliases.every((alias) => isObject(alias) && typeof alias.name === 'string'),
      what,
      'aliases',
    );
    return liveChangesOf(indexPrefix, aliases);
  }

  /**
   * Reads the history in real time. The history is empty before the first switch. Elasticsearch returns 503
   * until a new index's shard has started, so this method repeats the request for up to 10 s.
   */
  async history(): Promise<ChangesHistory> {
    const { elasticsearch, indexPrefix } = this.#options;
    const until = performance.now() + HISTORY_WITHIN_MS;
    for (;;) {
      try {
        const { statusCode, body } = await elasticsearch.get<HistoryDocument>(
          { index: changesHistoryIndex(indexPrefix), id: CHANGES_HISTORY_ID },
          { opaqueId: this.#opaqueId, meta: true, ignore: [404] },
        );
        return historyOf(statusCode ?? 0, body);
      } catch (error) {
        if (!isShardStarting(error) || performance.now() > until) return asSearchFailure(error);
        await sleep(HISTORY_RETRY_MS);
      }
    }
  }

  /** Returns the primary's checkpoint, at least -1. Every operation up to it is on every in-sync copy. */
  async checkpoint(generation: number): Promise<number> {
    const index = this.#indexOf(generation);
    // The sequence numbers come with every metric. Other metrics also read the disk.
    const stats = await this.#options.elasticsearch.indices
      .stats({ index, level: 'shards', metric: 'docs' }, { opaqueId: this.#opaqueId })
      .catch(asSearchFailure);
    const numbers = readResponse(`the checkpoint of ${index}`, () => {
      const copies = Object.values(stats.indices ?? {}).flatMap(({ shards }) =>
        Object.values(shards ?? {}).flat(),
      );
      return copies.find(({ routing, seq_no }) => routing?.primary && seq_no)?.seq_no;
    });
    if (!numbers) throw new FeedUnavailable(`the primary shard of ${index} has not started`);
    expectResponse(Number.isInteger(numbers.global_checkpoint), `the checkpoint of ${index}`, 'number');
    return numbers.global_checkpoint;
  }

  /** Refreshes every copy of a changes index. @returns whether the index exists */
  async refresh(generation: number): Promise<boolean> {
    const index = this.#indexOf(generation);
    const { statusCode, body } = await this.#options.elasticsearch.indices
      .refresh({ index }, { opaqueId: this.#opaqueId, meta: true, ignore: [404] })
      .catch(asSearchFailure);
    const what = `the refresh of ${index}`;
    if (statusCode === 404) {
      // Only Elasticsearch itself may say that the changes are gone, because followers then start over.
      expectResponse(isIndexMissing(body), what, 'index_not_found_exception');
      return false;
    }
    const failed = body?._shards?.failed;
    expectResponse(typeof failed === 'number', what, '_shards');
    if (failed > 0) throw new FeedUnavailable(`could not refresh every copy of ${index}`);
    return true;
  }

  /** Opens a point in time of a changes index. @returns its id */
  async openChanges(generation: number): Promise<string> {
    const opened = await this.#options.elasticsearch
      .openPointInTime(
        { index: this.#indexOf(generation), keep_alive: POINT_IN_TIME_KEPT },
        { opaqueId: this.#opaqueId },
      )
      .catch(asSearchFailure);
    return pointInTimeOf(opened);
  }

  async close(pointInTime: string): Promise<void> {
    await this.#options.elasticsearch.closePointInTime({ id: pointInTime }, { opaqueId: this.#opaqueId });
  }

  /** Returns the first matching entries in a range, in ascending order. @throws PageTooLarge, Overloaded */
  async entries(
    pointInTime: string,
    { after, upTo }: EntryRange,
    size: number,
    signal: AbortSignal,
    filter: ChangesFilter = {},
  ): Promise<FoundEntries> {
    const range = { range: { _seq_no: { gt: after, lte: upTo } } };
    const request = { size, ...entrySearch(range, filter), _source: true, ...kindAggregation(filter) };
    const { hits, aggregations } = await this.#searchEntries(pointInTime, request, signal);
    const entries = hits.map(({ _id, sort, _source }) => {
      expectResponse(isObject(_source) && Number.isInteger(_source['at']), 'a search', 'entries');
      return { id: _id as string, sequence: Number(sort?.[0]), entry: _source as unknown as ChangeEntry };
    });
    return { entries, ...(filter.since !== undefined && { counts: countsOf(aggregations) }) };
  }

  /** Returns whether a generation's entries have details, which 1.1.0 did not write. Asks only once. */
  hasDetails(generation: number): Promise<boolean> {
    const known = this.#withDetails.get(generation);
    if (known) return known;
    const index = this.#indexOf(generation);
    const asked = this.#options.elasticsearch
      .fieldCaps({ index, fields: 'times.new' }, { opaqueId: this.#opaqueId })
      .then(
        ({ fields }) => readResponse('a look-up of fields', () => 'times.new' in fields),
        asSearchFailure,
      );
    asked.catch(() => this.#withDetails.delete(generation));
    this.#withDetails.set(generation, asked);
    return asked;
  }

  /** The time of the last entry up to `upTo`, in epoch milliseconds. It is undefined if there is no entry. */
  async lastTime(pointInTime: string, upTo: number, signal: AbortSignal): Promise<number | undefined> {
    const query = { range: { _seq_no: { lte: upTo } } };
    const newest = { size: 1, query, sort: [{ _seq_no: 'desc' as const }], _source: true };
    const [last] = (await this.#searchEntries(pointInTime, newest, signal)).hits;
    return last?._source?.at;
  }

  /**
   * Returns the lowest sequence number of the entries that were written at or after a time, or undefined if
   * there are none.
   */
  async firstSince(pointInTime: string, time: number, signal: AbortSignal): Promise<number | undefined> {
    const query = { range: { at: { gte: time, format: 'epoch_millis' } } };
    const [first] = (await this.#searchEntries(pointInTime, { size: 1, query }, signal)).hits;
    return first === undefined ? undefined : Number(first.sort?.[0]);
  }

  /** Returns entries, by default without their documents and ascending by sequence number. */
  async #searchEntries(
    pointInTime: string,
    entries: estypes.SearchRequest,
    signal: AbortSignal,
  ): Promise<{ hits: estypes.SearchHit<ChangeEntry>[]; aggregations: unknown }> {
    const request: estypes.SearchRequest = {
      pit: { id: pointInTime },
      timeout: SEARCH_TIMEOUT,
      track_total_hits: false,
      sort: [{ _seq_no: 'asc' }],
      _source: false,
      ...entries,
    };
    const options = { hits: entries.size ?? 0, opaqueId: this.#opaqueId, signal };
    const send = () => postSearch(this.#options, '/_search', request, options);
    const bytes = await this.#options.limiter.pass(send, signal).catch(asSearchFailure);
    const response: estypes.SearchResponse<ChangeEntry> = readResponse('a search', () =>
      JSON.parse(bytes.toString()),
    );
    checkSearchStatus(response);
    const failure = incompleteSearch(response);
    if (failure) throw failure;
    const { hits } = isObject(response.hits) ? response.hits : {};
    expectResponse(Array.isArray(hits) && hits.every(isEntry), 'a search', 'entries');
    checkSearchResponse(request, response);
    return { hits, aggregations: response.aggregations };
  }

  #indexOf(generation: number): string {
    return generationNames(this.#options.indexPrefix, generation).changes;
  }
}

const isEntry = (hit: unknown): boolean =>
  isObject(hit) &&
  typeof hit['_id'] === 'string' &&
  Array.isArray(hit['sort']) &&
  Number.isInteger(hit['sort'][0]);
