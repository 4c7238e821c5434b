import type { estypes } from '@elastic/elasticsearch';
import { generationNames, itemsAlias } from '@vitrine/feed-index';
import type { RequestBudget } from '../../budget/request-budget.ts';
import {
  type ExportSlice,
  type LookedUpItems,
  readExportSlice,
  readMultiGetResponse,
} from '../../stored/complete-items.ts';
import {
  checkSearchStatus,
  expectResponse,
  objectIn,
  pointInTimeOf,
  readResponse,
} from '../checked-response.ts';
import { postSearch } from '../post-search.ts';
import { asSearchFailure, type SearchConnection } from '../search-client.ts';
import { incompleteSearch, PointInTimeLost } from '../search-failure.ts';

const SEARCH_TIMEOUT = '4s';
/** This is longer than the time for which an export uses a point in time. */
const POINT_IN_TIME_KEPT = '10s';
const ENUMERATION = 'an enumeration of ids';
/** 5,000 ids take at most 1 MB. */
const ENUMERATION_BYTES = 2 * 1024 * 1024;

interface IdsOfSlice {
  after?: string | undefined;
  upTo?: string | undefined;
}

/**
 * Sends the requests for the items in changes and exports. All methods throw FeedUnavailable if Elasticsearch
 * does not respond in time, and PointInTimeLost if an index or a point in time is missing.
 */
export class ItemsClient {
  readonly #options: SearchConnection;
  readonly #opaqueId: string;

  constructor(options: SearchConnection) {
    this.#options = options;
    this.#opaqueId = `vitrine-query/${options.indexPrefix}/changes`;
  }

  /** Opens a point in time of the feed's items. @returns its id */
  async open(): Promise<string> {
    const { elasticsearch, indexPrefix } = this.#options;
    const opened = await elasticsearch
      .openPointInTime(
        { index: itemsAlias(indexPrefix), keep_alive: POINT_IN_TIME_KEPT },
        { opaqueId: this.#opaqueId },
      )
      .catch(asSearchFailure);
    return pointInTimeOf(opened);
  }

  async close(pointInTime: string): Promise<void> {
    await this.#options.elasticsearch.closePointInTime({ id: pointInTime }, { opaqueId: this.#opaqueId });
  }

  /**
   * Looks up a generation's items in real time. The result leaves out missing items. The response counts
   * toward the budget.
   * @throws PageTooLarge, BudgetExceeded, Overloaded
   */
  async lookUp(
    generation: number,
    ids: readonly string[],
    signal: AbortSignal,
    budget: RequestBudget,
  ): Promise<LookedUpItems['items']> {
    const { items: index } = generationNames(this.#options.indexPrefix, generation);
    const bytes = await this.#post(`/${index}/_mget`, { ids }, ids.length, signal, budget);
    const { items, documents, error } = readResponse('a look-up of items', () => readMultiGetResponse(bytes));
    // The index is pruned or closed. Another point in time of the changes may show another live generation.
    if (error !== undefined) throw new PointInTimeLost(error);
    // A missing document means that the item was removed, so the response must say for each id whether its
    // document exists.
    expectResponse(documents === ids.length, 'a look-up of items', `document for each of ${ids.length} ids`);
    return items;
  }

  /**
   * Returns the index's next ids after an id, ascending. The result includes ids of removed items. It lacks
   * some ids if Elasticsearch does not find all of them in time.
   * @param after '' for the first ids
   * @throws BudgetExceeded, Overloaded
   */
  async idsAfter(after: string, size: number, signal: AbortSignal, budget: RequestBudget): Promise<string[]> {
    const { elasticsearch, indexPrefix, limiter } = this.#options;
    const opaqueId = this.#opaqueId;
    budget.search();
    const index = itemsAlias(indexPrefix);
    const request = {
      index,
      field: 'id',
      size,
      timeout: SEARCH_TIMEOUT,
      ...(after !== '' && { search_after: after }),
    };
    const limits = { maxResponseSize: ENUMERATION_BYTES, maxCompressedResponseSize: ENUMERATION_BYTES };
    const response = await limiter.pass(
      () => elasticsearch.termsEnum(request, { signal, opaqueId, ...limits }).catch(asSearchFailure),
      signal,
    );
    const { terms } = objectIn(ENUMERATION, response);
    const isValid = Array.isArray(terms) && terms.every((term) => typeof term === 'string');
    expectResponse(isValid, ENUMERATION, 'terms');
    return terms;
  }

  /**
   * Returns the first `size` items after the id `after`, ascending by id, but none beyond the id `upTo`.
   * Elasticsearch visits every item between these ids, even if `size` is smaller. The response counts toward
   * the budget of the slice.
   * @throws PageTooLarge, BudgetExceeded, Overloaded
   */
  async slice(
    pointInTime: string,
    { after, upTo }: IdsOfSlice,
    size: number,
    signal: AbortSignal,
    budget: RequestBudget,
  ): Promise<ExportSlice> {
    const request: estypes.SearchRequest = {
      pit: { id: pointInTime, keep_alive: POINT_IN_TIME_KEPT },
      size,
      sort: [{ id: 'asc' }],
      query: {
        range: {
          id: { ...(after !== undefined && { gt: after }), ...(upTo !== undefined && { lte: upTo }) },
        },
      },
      track_total_hits: false,
      timeout: SEARCH_TIMEOUT,
    };
    const bytes = await this.#post('/_search', request, size, signal, budget);
    const slice = readResponse('a search', () => readExportSlice(bytes));
    checkSearchStatus(slice.status);
    const failure = incompleteSearch(slice.status);
    if (failure) throw failure;
    const isId = slice.lastId === undefined || typeof slice.lastId === 'string';
    expectResponse(isId, 'a search', 'id of its last item');
    // An empty slice may end the export, so the service must be sure that it has read all of the slice.
    const readItems = () => readResponse('a search', slice.readItems);
    if (slice.lastId === undefined) readItems();
    return { ...slice, readItems };
  }

  async #post(
    path: string,
    body: object,
    hits: number,
    signal: AbortSignal,
    budget: RequestBudget,
  ): Promise<Buffer> {
    const opaqueId = this.#opaqueId;
    budget.search();
    const bytes = await this.#options.limiter.pass(
      () =>
        postSearch(this.#options, path, body, { hits, maxBytes: budget.readable, opaqueId, signal }).catch(
          asSearchFailure,
        ),
      signal,
    );
    budget.found(bytes.length);
    return bytes;
  }
}
