import type { FilterArguments } from '@vitrine/feed-index/filters';
import type { AppliedFilters } from '../../filters/filter.ts';
import { type FeedCriteria, neighboringDates } from '../../request/criteria.ts';
import { encodeCursor } from '../../request/cursor.ts';
import { cursorText, joined, type Shown, say, table } from '../answer-text.ts';
import { answerTime, todayText } from '../answer-time.ts';
import { appliedFilters, filtersLine } from '../applied-filters.ts';
import { countSuggestions, explainEmptyResult } from '../empty-result.ts';
import type { ListingPage, ListingSource } from '../listing-source.ts';
import { type Answer, DEFAULT_SEARCH_TOKENS, type Draft, MAX_TOKENS } from '../token-budget.ts';
import { criteriaOf } from '../tool-arguments.ts';
import { columnsOf, type Detail, rowOf } from './listing-row.ts';
import { type CommonMembers, nothingFound } from './nothing-found.ts';
import { datesText, offersOn } from './other-dates.ts';

export interface SearchArguments extends FilterArguments {
  limit: number;
  cursor?: string;
  detail: Detail;
}

/** The number of listings that a search returns by default. */
const DEFAULT_LIMIT = 5;
/** The counts of the neighboring dates of a longer range alone can exceed the default budget. */
const MAX_DATES_OF_DEFAULT_BUDGET = 13;

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
  const page = await source.page(criteria, signal);
  const today = source.today();
  const dates = neighboringDates(criteria, today);
  const common: CommonMembers = {
    applied_filters: appliedFilters(criteria, args, page.listings[0]),
    ...(criteria.date && { neighbouring_dates: dates.map((date) => offersOn(date, page.offersByDate)) }),
    ...answerTime(today),
    currency: 'BRL',
  };
  const budget =
    args.limit <= DEFAULT_LIMIT && args.detail === 'concise' && dates.length <= MAX_DATES_OF_DEFAULT_BUDGET
      ? DEFAULT_SEARCH_TOKENS
      : MAX_TOKENS;
  if (page.total === 0) {
    const reason = await explainEmptyResult(source, criteria, signal);
    return {
      budget,
      elements: countSuggestions(reason.suggestions),
      render: (count) => nothingFound(reason, count, common),
    };
  }
  const rows = page.listings.map((listing) => rowOf(listing, criteria, args.detail));
  const render = (count: number): Answer => {
    const shown = rows.slice(0, count);
    const cursor = cursorAfter(criteria, page, count);
    const truncated = count < rows.length;
    return {
      text: joined(
        [
          ...heading(page.total, count, common.applied_filters, today),
          ...table(columnsOf(criteria, args.detail, shown)),
          ...datesText(common.neighbouring_dates ?? []),
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
        ...(cursor && { next_cursor: cursor }),
      },
    };
  };
  return { budget, elements: rows.length, render };
}

/** The first lines of the text: the result, and how the service understood the filters. */
const heading = (total: number, shown: number, filters: AppliedFilters, today: string): Shown[] => [
  say`${total} listings found, ${shown} shown. Prices in BRL. ${todayText(today)}`,
  ...filtersLine(filters),
];

/** The cursor after the first `count` listings. A listing that alone exceeds the budget is passed over. */
function cursorAfter(
  criteria: FeedCriteria,
  { positions, hasMore }: ListingPage,
  count: number,
): string | undefined {
  const isLast = count === positions.length;
  const position = positions[Math.max(count, 1) - 1];
  return (isLast && !hasMore) || position === undefined ? undefined : encodeCursor(criteria, position);
}
