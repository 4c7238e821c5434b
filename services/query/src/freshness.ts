/**
 * What a page's age makes of it: `fresh` is served; `stale` too, while a new one is made; `old` only
 * where a new one cannot be had; `gone` never (RFC 9111 §4.2, RFC 5861).
 */
type FreshnessState = 'fresh' | 'stale' | 'old' | 'gone';

export interface Freshness {
  stateAt(ageMs: number): FreshnessState;
  /** The same for the caches of others: the value of Cache-Control. They add the Age that we state, so that the bounds hold for both together. */
  cacheControl: string;
}

/**
 * @param freshSeconds how long a page is as good as new; stale for twice as long
 * @param staleSeconds how long it stands in for what cannot be had, beyond that it is fresh
 */
export function freshness(freshSeconds: number, staleSeconds: number): Freshness {
  const revalidateSeconds = Math.min(2 * freshSeconds, staleSeconds);
  const [fresh, stale, old] = [freshSeconds, freshSeconds + revalidateSeconds, freshSeconds + staleSeconds].map((seconds) => seconds * 1_000) as [
    number,
    number,
    number,
  ];
  return {
    stateAt(ageMs) {
      if (ageMs < fresh) return 'fresh';
      if (ageMs < stale) return 'stale';
      return ageMs < old ? 'old' : 'gone';
    },
    cacheControl: `public, max-age=${freshSeconds}, stale-while-revalidate=${revalidateSeconds}, stale-if-error=${staleSeconds}`,
  };
}
