/**
 * The state of a page by its age. A `fresh` page is served without a search. A `stale` page is served if a
 * refresh is not immediate, an `old` one only if a refresh fails or is late, and a `gone` one never (RFC 9111
 * §4.2, RFC 5861).
 */
export type FreshnessState = 'fresh' | 'stale' | 'old' | 'gone';

export interface Freshness {
  /** Seconds for which a page counts as fresh. */
  freshSeconds: number;
  stateAt(ageMs: number): FreshnessState;
  /** The state of a page that is fresh by age but was made for another date. */
  outdated: 'stale' | 'old' | 'gone';
  /**
   * The value of Cache-Control. Other caches take our Age into account, so the limits apply to both caches
   * together.
   */
  cacheControl: string;
}

/**
 * @param freshSeconds seconds for which a cached page counts as fresh. It then counts as stale for twice as
 *   long.
 * @param staleSeconds seconds after freshness during which a page may be served if refreshing it fails
 */
export function freshness(freshSeconds: number, staleSeconds: number): Freshness {
  const revalidateSeconds = Math.min(2 * freshSeconds, staleSeconds);
  const [fresh, stale, old] = [freshSeconds, freshSeconds + revalidateSeconds, freshSeconds + staleSeconds].map((seconds) => seconds * 1_000) as [
    number,
    number,
    number,
  ];
  const stateAt = (ageMs: number): FreshnessState => {
    if (ageMs < fresh) return 'fresh';
    if (ageMs < stale) return 'stale';
    return ageMs < old ? 'old' : 'gone';
  };
  return {
    freshSeconds,
    stateAt,
    outdated: stateAt(fresh) as Exclude<FreshnessState, 'fresh'>,
    cacheControl: `public, max-age=${freshSeconds}, stale-while-revalidate=${revalidateSeconds}, stale-if-error=${staleSeconds}`,
  };
}
