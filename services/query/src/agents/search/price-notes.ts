import type { FeedCriteria } from '../../request/criteria.ts';
import { toCents } from '../../stored/cheapest-stay.ts';
import { identifier, joined, type Shown, say } from '../answer-text.ts';
import type { Row } from './listing-row.ts';

/**
 * Names the stays that cost more per night than `max_price`. That filter compares only the listing's own
 * price. Without this note, agents offered stays above the budget.
 * @param nights the length of the stay
 */
export function priceNotes({ maxPrice }: FeedCriteria, rows: readonly Row[], nights: number): Shown[] {
  if (maxPrice === undefined) return [];
  const above = rows.filter(({ total_price = 0 }) => toCents(total_price) > nights * toCents(maxPrice));
  if (above.length === 0) return [];
  const ids = joined(
    above.map(({ id }) => identifier(id)),
    ', ',
  );
  return [
    say`These stays cost more than max_price per night, because max_price compares the listing's own price: ${ids}. To limit the whole stay, use max_total_price.`,
  ];
}
