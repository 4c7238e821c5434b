import type { FeedCriteria } from '../../request/criteria.ts';
import { type Shown, say } from '../answer-text.ts';
import type { Row } from './listing-row.ts';

/**
 * Warns that stays cost more per night than `max_price`, which compares the listing's own price. Without the
 * warning, agents offered stays above the budget.
 * @param nights the length of the stay
 */
export function priceNotes({ maxPrice }: FeedCriteria, rows: readonly Row[], nights: number): Shown[] {
  if (maxPrice === undefined) return [];
  const above = rows.filter(({ total_price = 0 }) => total_price > maxPrice * nights).length;
  if (above === 0) return [];
  return [
    say`${above} of these stays cost more than max_price per night, because max_price compares the listing's own price. To limit the whole stay, use max_total_price.`,
  ];
}
