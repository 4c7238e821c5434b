import type { FeedCriteria } from '../../request/criteria.ts';
import { neighboringStays } from '../../request/neighboring-stays.ts';
import { asksForStay, type StayWindow, stayWindow } from '../../request/stay-window.ts';
import type { TotalLimits } from './total-limits.ts';

/**
 * Which offers of neighboring dates and stays a page has. With `every range`, every date range has offers for
 * stays instead of offers for dates.
 */
export type Summaries = 'none' | 'every range';

/** The part of a request that concerns stays, in addition to the clauses of its filters. */
export interface StayQuery {
  stay: StayWindow;
  limits: TotalLimits;
  /** The first nights of the stays that the page summarizes, ascending. */
  starts: readonly string[];
}

/**
 * Returns the part of a request that concerns stays, or undefined if the request has no parameters for stays.
 * @param today YYYY-MM-DD
 * @param summaries with `every range`, a range without these parameters also gets the summaries
 */
export function stayQuery(
  criteria: FeedCriteria,
  today: string,
  summaries?: Summaries,
): StayQuery | undefined {
  const stay = stayWindow(criteria, today);
  const isAsked = asksForStay(criteria) || (summaries === 'every range' && criteria.dateTo !== undefined);
  if (!stay || !isAsked) return undefined;
  const { minTotal, maxTotal } = criteria;
  const starts = summaries === 'none' ? [] : neighboringStays(criteria, today);
  return { stay, limits: { minTotal, maxTotal }, starts };
}
