import { readAdType } from '@vitrine/feed-index/ad-types';
import { FOUND_BYTES, isTooLarge, type RequestBudget } from '../budget/request-budget.ts';
import { Page } from '../cache/page.ts';
import type { PageCache, PageKey, ServedPage } from '../cache/page-cache.ts';
import type { FeedName } from '../contract/operations.ts';
import { Problem, UNKNOWN_AD_TYPE } from '../contract/problem.ts';
import { dateVariant } from '../request/criteria.ts';
import type { Encoder } from '../response/content-encoding.ts';
import { feedContent } from '../response/feed-response.ts';
import { pageLinks } from '../response/page-links.ts';
import { represent } from '../response/representation.ts';
import { feedQuery } from '../search/feed-query.ts';
import type { FeedSearch } from '../search/feed-search.ts';
import { PageTooLarge } from '../search/search-failure.ts';
import type { SearchLimiter } from '../search/search-limiter.ts';
import type { FoundPage } from '../stored/found-page.ts';
import { bytesOf } from '../stored/stored-item.ts';
import { type KnownRequest, KnownRequests, linksOf } from './known-requests.ts';
import type { RequestAccount } from './limits/client-rate-limit.ts';

export interface FeedReaderOptions {
  search: Pick<FeedSearch, 'page'>;
  /** Admits pages. */
  limiter: SearchLimiter;
  cache: PageCache;
  /** Creates the budget for a page. */
  newBudget: () => RequestBudget;
  encoder: Encoder;
  /** Returns today's date as YYYY-MM-DD. */
  today: () => string;
  horizonDays: number;
  /** Radius of `localOnly`, in kilometers. */
  localRadiusKm: number;
}

/** A page, its cache key, and the date (YYYY-MM-DD) on which its request started. */
export interface ReadPage extends ServedPage {
  key: PageKey;
  date: string;
}

/**
 * Reads one page of a feed.
 * @param adType the path segment of the ad type, as written in the URL
 * @param query the raw query, without the `?`
 * @param account the client's account. It pays for the work on calendars if this request starts the search.
 * @throws Problem (404 unknown ad type, 400 bad parameters), FeedUnavailable, Overloaded, Abandoned
 */
export type ReadFeed = (
  feed: FeedName,
  adType: string | undefined,
  query: string,
  signal: AbortSignal,
  account: Pick<RequestAccount, 'settle'>,
) => Promise<ReadPage>;

/** The search result for a page, and the maximum number of items on that page. */
interface FoundItems {
  found: FoundPage;
  maxItems: number;
}

export function createFeedReader({
  search,
  limiter,
  cache,
  newBudget,
  encoder,
  today,
  horizonDays,
  localRadiusKm,
}: FeedReaderOptions): ReadFeed {
  const known = new KnownRequests();
  const find = async (
    request: KnownRequest,
    date: string,
    budget: RequestBudget,
    signal: AbortSignal,
  ): Promise<FoundItems> => {
    const { criteria } = request;
    for (let maxItems = criteria.pageSize; ; ) {
      try {
        const query =
          maxItems === criteria.pageSize
            ? known.queryOf(request, { today: date, localRadiusKm })
            : feedQuery({ ...criteria, pageSize: maxItems }, { today: date, localRadiusKm });
        budget.search();
        const found = await limiter.pass(() => search.page(query, signal, budget), signal);
        budget.found(bytesOf(found.items));
        return { maxItems, found };
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        // A page number refers to fixed ranks, so only a cursor page may be shorter.
        if (!(error instanceof PageTooLarge) || criteria.page !== undefined || maxItems === 1)
          throw pageTooLarge(error instanceof PageTooLarge ? error.limit : FOUND_BYTES);
        // The page omits the last item that fits. That item only shows that there is a next page.
        maxItems = Math.max(Math.min(error.items, maxItems) - 1, 1);
      }
    }
  };
  const make = async (
    request: KnownRequest,
    date: string,
    account: Pick<RequestAccount, 'settle'>,
    signal: AbortSignal,
  ): Promise<Page> => {
    const { criteria } = request;
    const budget = newBudget();
    try {
      const { found, maxItems } = await find(request, date, budget, signal);
      const content = feedContent(criteria, found, { today: date, horizonDays }, maxItems);
      const representation = represent(
        content,
        new Date(),
        pageLinks(criteria, content.meta, linksOf(request)),
      );
      budget.serialized(representation.body.length);
      return new Page(representation, encoder);
    } finally {
      budget.close((cost) => account.settle(cost));
    }
  };
  return async (feed, segment, query, signal, account) => {
    const adType = segment === undefined ? undefined : readAdType(segment);
    if (segment !== undefined && adType === undefined) throw new Problem('unknown-ad-type', UNKNOWN_AD_TYPE);
    const request = known.read(feed, adType, query);
    const date = today();
    const key = { criteria: request.text, dateVariant: dateVariant(request.criteria, date) };
    return { key, date, ...(await cache.read(key, (end) => make(request, date, account, end), signal)) };
  };
}

const MIB = 1024 * 1024;

/** Source: docs/decisions/0025-bounded-pages.md. */
const pageTooLarge = (limit: number): Problem =>
  new Problem('page-too-large', 'The items of this page exceed the size limit of a response.', {
    errors: [
      {
        parameter: 'pageSize',
        detail: `must be smaller, because these items exceed ${Math.floor(limit / MIB)} MiB. Or use a cursor`,
      },
    ],
  });
