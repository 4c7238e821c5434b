import type { FilterArguments } from '@vitrine/feed-index/filters';
import type { FeedCriteria } from '../../request/criteria.ts';
import { encodeCursor } from '../../request/cursor.ts';
import { cursorText, joined, type Shown, say, table } from '../answer-text.ts';
import { answerTime, todayText } from '../answer-time.ts';
import { appliedFilters, briefFilters, filtersLine } from '../applied-filters.ts';
import { countSuggestions, explainEmptyResult } from '../empty-result.ts';
import type { ListingPage, ListingSource } from '../listing-source.ts';
import { type Answer, DEFAULT_SEARCH_TOKENS, type Draft, MAX_TOKENS } from '../token-budget.ts';
import { criteriaOf } from '../tool-arguments.ts';
import { columnsOf, type Detail, rowOf } from './listing-row.ts';
import { type CommonMembers, nothingFound } from './nothing-found.ts';
import { otherDatesOf } from './other-dates.ts';
import { priceNotes } from './price-notes.ts';
import { citiesText, sameNameCities } from './same-name-cities.ts';

const ORDERS = {
  newest: say`newest first`,
  price: say`lowest own price first`,
  rating: say`highest rating first`,
  total_price: say`cheapest total first`,
  distance: say`nearest first`,
} as const;

export interface SearchArguments extends FilterArguments {
  limit: number;
  cursor?: string;
  detail: Detail;
}

/** The number of listings that a search returns by default. */
const DEFAULT_LIMIT = 5;
/** In longer stays, the nightly prices alone can exceed the default budget. */
const MAX_NIGHTS_OF_DEFAULT_BUDGET = 7;
/** `applied_filters` names every value, so long lists would leave no room for listings. */
const MAX_VALUES_OF_DEFAULT_BUDGET = 10;

/**
 * Searches listings. A result that is too large for the token budget has fewer items and a cursor.
 * @throws BadArguments; the errors of ListingSource
 */
export async function searchListings(
  source: ListingSource,
  args: SearchArguments,
  signal: AbortSignal,
): Promise<Draft> {
  const criteria = criteriaOf(args, args.limit, args.cursor);
  const [page, cities] = await Promise.all([
    source.page(criteria, signal, 'every range'),
    sameNameCities(source, criteria, signal),
  ]);
  const today = source.today();
  const other = otherDatesOf(criteria, page, today);
  const filters = appliedFilters(criteria, args, page.listings[0]);
  const members: CommonMembers = {
    applied_filters: filters,
    ...(cities.length > 0 && { cities }),
    ...other.members,
    ...answerTime(today),
    currency: 'BRL',
  };
  const { nights = 1 } = other;
  const isDefault = args.limit <= DEFAULT_LIMIT && args.detail === 'concise';
  const isShort = nights <= MAX_NIGHTS_OF_DEFAULT_BUDGET && listValues(args) <= MAX_VALUES_OF_DEFAULT_BUDGET;
  const budget = isDefault && isShort ? DEFAULT_SEARCH_TOKENS : MAX_TOKENS;
  const brief = { ...members, applied_filters: briefFilters(filters) };
  if (page.total === 0) {
    const reason = await explainEmptyResult(source, criteria, signal);
    const render = (shown: CommonMembers) => (count: number) =>
      nothingFound(reason, count, { members: shown, otherDatesText: other.text });
    const elements = countSuggestions(reason.suggestions);
    return { budget, budgetOfOne: MAX_TOKENS, elements, render: render(members), brief: render(brief) };
  }
  const rows = page.listings.map((listing) => rowOf(listing, criteria, args.detail));
  const render =
    (common: CommonMembers) =>
    (count: number): Answer => {
      const shown = rows.slice(0, count);
      const cursor = cursorAfter(criteria, page, count);
      const truncated = count < rows.length;
      const notes = priceNotes(criteria, shown, nights);
      return {
        text: joined(
          [
            say`${page.total} listings found, ${count} shown, ${orderText(criteria)}. Prices in BRL. ${todayText(today)}`,
            ...filtersLine(common.applied_filters),
            ...citiesText(cities),
            ...notes,
            ...table(columnsOf(criteria, args.detail, shown)),
            ...other.text,
            ...(truncated ? [say`truncated: further listings did not fit into this answer`] : []),
            ...(cursor ? [say`next_cursor: ${cursorText(cursor)}`] : []),
          ],
          '\n',
        ),
        structured: {
          total: page.total,
          items: shown,
          ...(truncated && { truncated }),
          ...common,
          ...(notes.length > 0 && { notes }),
          ...(cursor && { next_cursor: cursor }),
        },
      };
    };
  return {
    budget,
    budgetOfOne: MAX_TOKENS,
    elements: rows.length,
    render: render(members),
    brief: render(brief),
  };
}

const listValues = ({ city, category, sub_category }: SearchArguments): number =>
  [city, category, sub_category].flat().filter((value) => value !== undefined).length;

/**
 * Returns the cursor after the first `count` listings. A listing that alone exceeds the budget is skipped.
 */
function cursorAfter(
  criteria: FeedCriteria,
  { positions, hasMore }: ListingPage,
  count: number,
): string | undefined {
  const isLast = count === positions.length;
  const position = positions[Math.max(count, 1) - 1];
  return (isLast && !hasMore) || position === undefined ? undefined : encodeCursor(criteria, position);
}

/** Names the order of a result. */
const orderText = ({ sort, point }: FeedCriteria): Shown =>
  ORDERS[sort ?? (point === undefined ? 'newest' : 'distance')];
