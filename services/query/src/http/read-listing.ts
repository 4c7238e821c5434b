import type { RequestBudget } from '../budget/request-budget.ts';
import { Page } from '../cache/page.ts';
import type { PageCache } from '../cache/page-cache.ts';
import type { Encoder } from '../response/content-encoding.ts';
import { weakEtag } from '../response/representation.ts';
import type { FeedSearch } from '../search/feed-search.ts';
import type { SearchLimiter } from '../search/search-limiter.ts';
import { bytesOf } from '../stored/stored-item.ts';
import type { RequestAccount } from './limits/client-rate-limit.ts';

export interface ListingReaderOptions {
  search: Pick<FeedSearch, 'items'>;
  /** Admits the search together with the pages of the feeds. */
  limiter: SearchLimiter;
  /** The cache of the feeds. */
  cache: PageCache;
  /** Creates the budget for a page. */
  newBudget: () => RequestBudget;
  encoder: Encoder;
}

/**
 * Reads the item of one listing, as the catalog feed serves it. The limits for a feed page apply.
 * @returns a page with JSON, or an empty one if no listing has this id
 * @throws the errors of `ReadFeed`
 */
export type ReadListing = (
  id: string,
  signal: AbortSignal,
  account: Pick<RequestAccount, 'settle'>,
) => Promise<Page>;

/** The event schema does not permit longer ids. */
const MAX_ID = 200;
const NO_LISTING = new Page({ body: Buffer.alloc(0), etag: weakEtag('') });

export function createListingReader(options: ListingReaderOptions): ReadListing {
  const { search, limiter, cache, newBudget, encoder } = options;
  const make = async (id: string, account: Pick<RequestAccount, 'settle'>, signal: AbortSignal) => {
    const budget = newBudget();
    try {
      budget.search();
      const found = await limiter.pass(() => search.items([id], signal, budget), signal);
      budget.found(bytesOf(found));
      // The page needs its own copy, because the item is a slice of the whole response.
      const body = Buffer.from(found[0]?.feedItem ?? '');
      return new Page({ body, etag: weakEtag(body) }, encoder);
    } finally {
      budget.close((cost) => account.settle(cost));
    }
  };
  return async (id, signal, account) => {
    if (id.length > MAX_ID) return NO_LISTING;
    // The criteria of the feeds begin with a brace.
    const key = { criteria: `listing ${id}`, dateVariant: '' };
    return (await cache.read(key, (end) => make(id, account, end), signal)).page;
  };
}
