import type { FilterArguments } from '@vitrine/feed-index/filters';
import type { AppliedFilters } from '../filters/filter.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { neighboringDates } from '../request/criteria.ts';
import { encodeCursor } from '../request/cursor.ts';
import type { DateOffers } from '../stored/found-page.ts';
import {
  address,
  clipped,
  cursorText,
  day,
  identifier,
  joined,
  quoted,
  type Shown,
  say,
  table,
} from './answer-text.ts';
import { type AnswerTime, answerTime, todayText } from './answer-time.ts';
import { appliedFilters, filtersLine } from './applied-filters.ts';
import { type StayPrice, stayPrice } from './calendar.ts';
import {
  countSuggestions,
  type EmptyResult,
  emptyResultText,
  explainEmptyResult,
  firstSuggestions,
} from './empty-result.ts';
import type { Listing, ListingPage, ListingSource } from './listing-source.ts';
import { stayText } from './stay.ts';
import { type Answer, DEFAULT_SEARCH_TOKENS, type Draft, MAX_TOKENS } from './token-budget.ts';
import { criteriaOf } from './tool-arguments.ts';

export interface SearchArguments extends FilterArguments {
  limit: number;
  cursor?: string;
  detail: 'concise' | 'detailed';
}

/** The number of listings that a search returns by default. */
const DEFAULT_LIMIT = 5;
/** The counts of the neighboring dates of a longer range alone can exceed the default budget. */
const MAX_DATES_OF_DEFAULT_BUDGET = 13;
const MAX_TITLE = 300;
const MAX_DESCRIPTION = 600;

/** The offers of one date, as in `meta.availability` of the agent feed. */
interface NeighboringDate {
  date: string;
  items: number;
  min_price?: number;
  max_price?: number;
}

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
  const common = {
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

/** The members that every answer has. */
interface CommonMembers extends AnswerTime {
  applied_filters: AppliedFilters;
  neighbouring_dates?: NeighboringDate[];
}

/** The answer without listings. @param count the number of suggested values in it */
function nothingFound(reason: EmptyResult, count: number, common: CommonMembers): Answer {
  const suggestions = firstSuggestions(reason.suggestions, count);
  const truncated = count < countSuggestions(reason.suggestions);
  return {
    text: joined(
      [
        say`Nothing found. No listing matches all filters. ${todayText(common.today)}`,
        ...filtersLine(common.applied_filters),
        ...emptyResultText({ ...reason, suggestions }),
        ...datesText(common.neighbouring_dates ?? []),
        ...(truncated ? [say`truncated: further values did not fit into this answer`] : []),
      ],
      '\n',
    ),
    structured: {
      total: 0,
      items: [],
      ...common,
      without: reason.without,
      ...(Object.keys(suggestions).length > 0 && { suggestions }),
      ...(truncated && { truncated }),
    },
  };
}

/** One listing of a result. `labels` and `calendar` are left out. */
interface Row extends Partial<StayPrice> {
  id: string;
  title: string;
  price: number;
  city: string;
  url: string;
  [detail: string]: unknown;
}

function rowOf(
  { item, adType, calendar }: Listing,
  criteria: FeedCriteria,
  detail: SearchArguments['detail'],
): Row {
  const { id, title, price, location, url, description, category, sub_category, provider } = item;
  const { date, dateTo = date } = criteria;
  return {
    id,
    title: clipped(title, MAX_TITLE),
    price,
    city: clipped(location.city, 100),
    url,
    ...(date && dateTo && stayPrice(calendar, { date, dateTo })),
    ...(detail === 'detailed' && {
      ...(adType && { ad_type: adType }),
      ...(category && { category: clipped(category, 100) }),
      ...(sub_category && { sub_category: clipped(sub_category, 100) }),
      ...(provider && { provider: clipped(provider.name, 100) }),
      ...(item.rating !== undefined && { rating: item.rating }),
      ...(item.review_count !== undefined && { review_count: item.review_count }),
      ...(description && { description: clipped(description, MAX_DESCRIPTION) }),
    }),
  };
}

/** The table of the text. The details come last in a row. */
function columnsOf(
  { date }: FeedCriteria,
  detail: SearchArguments['detail'],
  rows: readonly Row[],
): Shown[][] {
  const head = [
    say`id`,
    say`title`,
    say`price`,
    ...(date ? [say`total_price (nights)`] : []),
    say`city`,
    say`url`,
  ];
  return [
    [...head, ...(detail === 'detailed' ? [say`details`] : [])],
    ...rows.map(({ id, title, price, city, url, total_price, nights, each_night, ...details }) => [
      identifier(id),
      quoted(title),
      say`${price}`,
      ...(date ? [stayText({ total_price, nights, each_night })] : []),
      quoted(city),
      address(url),
      ...(detail === 'detailed' ? [joined(Object.entries(details).map(detailText), '; ')] : []),
    ]),
  ];
}

const detailText = ([name, value]: [string, unknown]): Shown =>
  say`${identifier(name)} ${typeof value === 'number' ? value : quoted(String(value), MAX_DESCRIPTION)}`;

/** The first lines of the text: the result, and how the service understood the filters. */
const heading = (
  total: number,
  shown: number,
  filters: ReturnType<typeof appliedFilters>,
  today: string,
): Shown[] => [
  say`${total} listings found, ${shown} shown. Prices in BRL. ${todayText(today)}`,
  ...filtersLine(filters),
];

function offersOn(date: string, offers: readonly DateOffers[]): NeighboringDate {
  const found = offers.find((offer) => offer.date === date);
  if (!found) return { date, items: 0 };
  return { date, items: found.items, min_price: found.minPrice, max_price: found.maxPrice };
}

/** One line with the offers of each date. */
function datesText(dates: readonly NeighboringDate[]): Shown[] {
  const [first, last] = [dates.at(0), dates.at(-1)];
  if (!first || !last) return [];
  if (dates.every(({ items }) => items === 0))
    return [say`neighbouring_dates: no free listings from ${day(first.date)} to ${day(last.date)}`];
  const offers = dates.map(({ date, items, min_price = 0, max_price = 0 }) => {
    const monthAndDay = identifier(date.slice(5));
    return items === 0 ? say`${monthAndDay} 0` : say`${monthAndDay} ${items} (${min_price}-${max_price})`;
  });
  return [say`neighbouring_dates, free listings (lowest-highest price): ${joined(offers, ', ')}`];
}

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
