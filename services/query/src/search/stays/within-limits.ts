import type { StayWindow } from '../../request/stay-window.ts';
import { cheapestRun, toPrice } from '../../stored/cheapest-stay.ts';
import type { Clause } from '../order/feed-order.ts';
import { field } from '../order/feed-order.ts';
import { type NightReader, scanNights } from './night-scan.ts';
import { isWithin, limitClauses, type TotalLimits } from './total-limits.ts';

/** Every items index accepts this number of terms in one clause (`max_terms_count`). */
const MAX_TERMS = 10_000;

/**
 * Returns a clause that selects, among the items that match `clauses` in one point in time, those whose
 * cheapest stay is within the limits. The clause names the items whose nightly prices are on both sides of a
 * limit. Their number is small unless the prices of most items vary widely.
 * @param clauses match only items that are available for some stay in the window
 */
export async function withinLimits(
  clauses: readonly Clause[],
  stay: StayWindow,
  limits: TotalLimits,
  reader: NightReader,
): Promise<Clause> {
  const { sure, possible } = limitClauses(limits, stay.nights);
  const unsure = [...clauses, ...possible, { bool: { must_not: [sure] } }];
  const evaluate = (id: string, cents: Float64Array) => {
    const run = cheapestRun(cents, stay.nights);
    return run && isWithin(toPrice(run.cents), limits) ? [id] : [];
  };
  const ids: string[] = [];
  for await (const { items } of scanNights(
    { clauses: unsure, stay, from: 'lowest', firstSlice: 1_000 },
    evaluate,
    reader,
  ))
    ids.push(...items.flat());
  const named: Clause[] = [];
  for (let at = 0; at < ids.length; at += MAX_TERMS)
    named.push({ terms: { [field('id')]: ids.slice(at, at + MAX_TERMS) } });
  return { bool: { should: [sure, ...named] } };
}
