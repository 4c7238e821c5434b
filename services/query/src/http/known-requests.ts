import type { AdType } from '@vitrine/feed-index/ad-types';
import { LRUCache } from 'lru-cache';
import type { FeedName } from '../contract/operations.ts';
import { invalidParameters } from '../contract/problem.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { readFeedRequest } from '../request/feed-request.ts';
import { linkedFilters } from '../response/page-links.ts';
import { type FeedQuery, feedQuery, type QuerySettings } from '../search/feed-query.ts';

/** The parts of a request that its text alone determines. The first search adds what only a search needs. */
export interface KnownRequest {
  /** The name under which the request is known. */
  readonly name: string;
  readonly criteria: FeedCriteria;
  /** Criteria are normalized and have a fixed order of members, so equal requests have the same text. */
  readonly text: string;
  links?: string;
  query?: { today: string; search: FeedQuery; bytes: number };
}

const MAX_BYTES = 4 * 1024 * 1024;
/** The size of the objects for the criteria and for the request itself. */
const OVERHEAD_BYTES = 4_096;
/** The measured memory of a search, in bytes per character of its JSON. */
const BYTES_PER_CHARACTER = 4;

/**
 * Reads each request text once. Popular pages expire every few seconds, but the texts of their requests stay
 * the same.
 */
export class KnownRequests {
  readonly #requests = new LRUCache<string, KnownRequest>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text, query }, name) =>
      OVERHEAD_BYTES + 4 * (text.length + name.length) + (query?.bytes ?? 0),
  });

  /**
   * @param query the raw query, without the `?`
   * @throws Problem (400) that lists every bad parameter
   */
  read(feed: FeedName, adType: AdType | undefined, query: string): KnownRequest {
    const name = `${feed} ${adType ?? ''} ${query}`;
    const known = this.#requests.get(name);
    if (known) return known;
    const criteria = readFeedRequest(feed, adType, query);
    if ('bad' in criteria) throw invalidParameters(criteria.bad);
    const request: KnownRequest = { name, criteria, text: JSON.stringify(criteria) };
    this.#requests.set(name, request);
    return request;
  }

  /** @param settings the settings, whose radius never changes */
  queryOf(request: KnownRequest, settings: QuerySettings): FeedQuery {
    const { today } = settings;
    if (request.query?.today === today) return request.query.search;
    const search = feedQuery(request.criteria, settings);
    // A request of 50 characters for stays within three months creates a search of 24,000 characters.
    request.query = { today, search, bytes: BYTES_PER_CHARACTER * JSON.stringify(search).length };
    // Setting the same object again would keep the old size.
    this.#requests.delete(request.name);
    this.#requests.set(request.name, request);
    return search;
  }
}

/** Returns the result of `linkedFilters` for the request. */
export const linksOf = (request: KnownRequest): string => (request.links ??= linkedFilters(request.criteria));
