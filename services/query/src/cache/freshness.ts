/**
 * The states of a cached page by its age, each with the condition under which the service may serve the page
 * (RFC 9111 §4.2, RFC 5861):
 * - `fresh`: always, without a search
 * - `stale-while-revalidate`: if its refresh takes longer than 50 ms or fails
 * - `stale-if-error`: if its refresh takes longer than 1 s or fails
 * - `expired`: never
 */
export type FreshnessState = 'fresh' | StaleState | 'expired';
/** The states in which the service may still serve a stale page. */
export type StaleState = 'stale-while-revalidate' | 'stale-if-error';

export interface Freshness {
  /** How long a page is fresh, in seconds. */
  freshSeconds: number;
  /** Returns the state of a page that a search confirmed `ageMs` milliseconds ago. */
  stateAt(ageMs: number): FreshnessState;
  /** The state of a page that is fresh by age, but belongs to another date. */
  afterDateChange: Exclude<FreshnessState, 'fresh'>;
  /**
   * The value of Cache-Control. Other caches add the time in this cache (the Age header), so the limits apply
   * to the total time in both caches.
   */
  cacheControl: string;
}

/**
 * Derives the limits of the states from two settings.
 * @param freshSeconds how long a cached page is fresh, in seconds. For up to twice that time afterwards, but
 * for at most `staleSeconds`, the service may serve the stale page while refreshing it.
 * @param staleSeconds how many seconds after a page stops being fresh the service may still serve it if its
 * refresh fails
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
