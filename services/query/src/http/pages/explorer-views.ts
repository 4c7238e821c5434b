import {
  type FeedItem,
  type Language,
  queryOf,
  requestPath,
  selectionOf,
  stateOf,
  withSelection,
} from '@vitrine/web';
import { WORK_PER_COST } from '../../budget/request-budget.ts';
import type { FeedName } from '../../contract/operations.ts';
import { Problem } from '../../contract/problem.ts';
import type { FirstView } from '../../web/first-view.ts';
import type { RequestAccount } from '../limits/client-rate-limit.ts';
import type { ReadFeed } from '../read-feed.ts';
import type { ReadListing } from '../read-listing.ts';
import type { ReadNames } from './facet-names.ts';

export interface ViewReaderOptions {
  read: ReadFeed;
  readListing: ReadListing;
  readNames: ReadNames;
  /** Called with the error from a search, because the page then appears without the search's result. */
  onFailure(error: unknown): void;
  /** How long a page waits for its search, in milliseconds. */
  maxWaitMs?: number;
}

/** The result of the search for a view. Both members are absent if the search failed. */
type Found = Pick<FirstView, 'results' | 'listing'>;

interface FoundView {
  /** The query string of the view's URL, empty or with its `?`. Equal views have equal query strings. */
  search: string;
  /** Changes when the search finds something else, or when the names of categories or cities change. */
  version: string;
  /** The status is 404 if the URL names a listing that does not exist. */
  status: 200 | 404;
  /** Reads the content. The client pays for the parsing. */
  found(): Found;
}

/**
 * Reads what the explorer shows first: one listing, or the results that its script will request. That search
 * has the budget, the queue, the cache and the cost of a feed request. If no result arrives in time, the view
 * has none, and the script shows why.
 * @param search the query string of the explorer's URL
 */
export type ReadView = (search: string, signal: AbortSignal, account: RequestAccount) => Promise<FoundView>;

/** First content must appear within a second. */
const MAX_WAIT_MS = 1_000;
/** Parsing more would delay other requests. A page of ordinary listings has a tenth of this size. */
const MAX_PARSED_BYTES = 1024 * 1024;
/**
 * Maximum length of a query, in characters. Each result links to itself with the whole query, so a long query
 * would make the page large.
 */
const MAX_SEARCH = 4_000;

export function createViewReader(options: ViewReaderOptions): ReadView {
  const { read, readListing, readNames, onFailure, maxWaitMs = MAX_WAIT_MS } = options;
  const readResults = async (search: string, signal: AbortSignal, account: RequestAccount) => {
    const [path = '', query = ''] = requestPath(stateOf(search)).split('?');
    const [feed = '', adType] = path.split('/');
    const { page } = await read(feed as FeedName, adType, query, signal, account);
    const { bytes } = await page.body(undefined);
    const found = (): Found => {
      const { data, meta } = parsed<FeedPage>(bytes, account) ?? {};
      return data && meta ? { results: { items: data, total: meta.total, pageCount: meta.pageCount } } : {};
    };
    return { search, version: page.etag, status: 200 as const, found };
  };
  const readOne = async (search: string, id: string, signal: AbortSignal, account: RequestAccount) => {
    const page = await readListing(id, signal, account);
    const { bytes } = await page.body(undefined);
    if (bytes.length === 0)
      return { search, version: page.etag, status: 404 as const, found: () => ({ listing: null }) };
    const found = (): Found => {
      const listing = parsed<FeedItem>(bytes, account);
      return listing ? { listing } : {};
    };
    return { search, version: page.etag, status: 200 as const, found };
  };
  return async (given, signal, account) => {
    const selection = selectionOf(given);
    // Equal views have one URL, and parameters without a meaning do not multiply the pages.
    const search = withSelection(queryOf(stateOf(given)), selection);
    const { listing } = selection;
    const ending = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
    const names = Promise.race([readNames(), aborted(ending)]);
    try {
      if (listing === undefined && search.length > MAX_SEARCH) return nothing(search);
      const view =
        listing === undefined
          ? await readResults(search, ending, account)
          : await readOne(search, listing, ending, account);
      return { ...view, version: `${view.version} ${await names}` };
    } catch (error) {
      // The script's own request receives the same problem.
      if (!ending.aborted && !(error instanceof Problem)) onFailure(error);
      return nothing(search);
    }
  };
}

const nothing = (search: string): FoundView => ({ search, version: '', status: 200, found: () => ({}) });

/** Resolves when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

interface FeedPage {
  data?: FeedItem[];
  meta?: { total: number; pageCount: number };
}

function parsed<T>(bytes: Buffer, account: RequestAccount): T | undefined {
  if (bytes.length > MAX_PARSED_BYTES) return undefined;
  account.settle(Math.floor(bytes.length / WORK_PER_COST));
  return JSON.parse(bytes.toString()) as T;
}

/**
 * Returns a view's language, which is Portuguese if the client accepts it with any weight above 0. The
 * weight 0 means "not acceptable" (RFC 9110 §12.4.2). Rule: docs/reference/views.md#explorer.
 * @param header Accept-Language
 */
export const languageOf = (header: string): Language =>
  header.split(',').some((range) => /^\s*pt\b/i.test(range) && !/;\s*q=0(\.0*)?\s*$/i.test(range))
    ? 'pt-BR'
    : 'en';
