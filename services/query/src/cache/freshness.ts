/**
 * When a cached page may be served (RFC 9111 §4.2, RFC 5861). The state depends on the age of the page:
 * - `fresh`: at once, without a search
 * - `stale-while-revalidate`: if its refresh takes more than a moment
 * - `stale-if-error`: only if its refresh fails or takes long
 * - `expired`: never
 */
export type FreshnessState = 'fresh' | StaleState | 'expired';
/** The states in which a page is stale and may still be served. */
export type StaleState = 'stale-while-revalidate' | 'stale-if-error';

export interface Freshness {
  /** Seconds for which a page is fresh. */
  freshSeconds: number;
  /** The state of a page that a search confirmed `ageMs` milliseconds ago. */
  stateAt(ageMs: number): FreshnessState;
  /** The state of a page that is fresh by age but was made for another date. */
  afterDateChange: Exclude<FreshnessState, 'fresh'>;
  /**
   * The value of Cache-Control. Other caches take our Age header into account, so the limits apply to their
   * cache and ours together.
   */
  cacheControl: string;
}

/**
 * The limits of the states, from two settings.
 * @param freshSeconds seconds for which a cached page is fresh. For twice as long after that, the stale page
 *   may be served while it is refreshed.
 * @param staleSeconds seconds after freshness during which a page may be served if its refresh fails
 */
export function freshness(freshSeconds: number, staleSeconds: number): Freshness {
  const revalidateSeconds = Math.min(2 * freshSeconds, staleSeconds);
  const stateAt = (ageMs: number): FreshnessState => {
    const ageSeconds = ageMs / 1_000;
    if (ageSeconds < freshSeconds) return 'fresh';
    if (ageSeconds < freshSeconds + revalidateSeconds) return 'stale-while-revalidate';
    return ageSeconds < freshSeconds + staleSeconds ? 'stale-if-error' : 'expired';
  };
  return {
    freshSeconds,
    stateAt,
    afterDateChange: stateAt(freshSeconds * 1_000) as Exclude<FreshnessState, 'fresh'>,
    cacheControl:
      `public, max-age=${freshSeconds}, stale-while-revalidate=${revalidateSeconds}, ` +
      `stale-if-error=${staleSeconds}`,
  };
}
