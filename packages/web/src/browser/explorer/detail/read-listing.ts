import { addDays } from '../../components/calendar-dates.ts';
import type { Availability, FeedItem } from '../feed-page.ts';
import { callTool } from '../mcp-tools.ts';

/** Consecutive dates with the same availability and price. Both ends are included. */
interface CalendarRange {
  from: string;
  to: string;
  available: boolean;
  price: number;
}

/** The answer from the tool `get_listing` (docs/reference/agents.md#members). */
interface ListingAnswer extends Omit<FeedItem, 'availability'> {
  ad_type?: string;
  calendar: CalendarRange[];
  calendar_until?: string;
}

/** A listing with its whole calendar. */
export interface Listing {
  item: Omit<FeedItem, 'availability'>;
  adType?: string;
  /** Every date of the calendar from today on, ascending. */
  calendar: Availability[];
  /** The service's answer. */
  answer: object;
}

/** The tool accepts at most this number of dates. Rule: docs/reference/rules.md#dates. */
const MAX_DATES = 31;
/** This number of calls covers about two years of a calendar. */
const MAX_CALLS = 24;

/**
 * Reads a listing. An answer has a limited size, so the later dates of a calendar may need further calls.
 * @returns undefined if no listing has this id, or if no listing can have it
 * @throws Error if the service does not respond
 */
export async function readListing(id: string, signal: AbortSignal): Promise<Listing | undefined> {
  // The tool would split this id at its commas.
  if (id.includes(',')) return undefined;
  const call = (dates: object) => callTool<ListingAnswer>('get_listing', { id: [id], ...dates }, signal);
  const answer = await call({}).catch((error: unknown) => {
    if (isUselessId(error)) return undefined;
    throw error;
  });
  if (answer === undefined) return undefined;
  const { ad_type, calendar: ranges, calendar_until: until = '', ...item } = answer;
  const calendar = daysOf(ranges);
  let last = calendar.at(-1)?.date;
  for (let calls = 0; last !== undefined && last < until && calls < MAX_CALLS; calls++) {
    const [date, date_to]: [string, string] = [addDays(last, 1), addDays(last, MAX_DATES)];
    calendar.push(...daysOf((await call({ date, date_to })).calendar));
    last = date_to;
  }
  return { item, ...(ad_type && { adType: ad_type }), calendar, answer };
}

/** Reads the calendar of a listing from `first` to `last`. */
export async function readCalendar(
  id: string,
  first: string,
  last: string,
  signal: AbortSignal,
): Promise<Availability[]> {
  const dates = { id: [id], date: first, date_to: last };
  return daysOf((await callTool<ListingAnswer>('get_listing', dates, signal)).calendar);
}

const daysOf = (ranges: readonly CalendarRange[]): Availability[] =>
  ranges.flatMap(({ from, to, available, price }) => {
    const dates: Availability[] = [];
    for (let date = from; date <= to; date = addDays(date, 1)) dates.push({ date, available, price });
    return dates;
  });

/**
 * Whether the tool knows no listing with the id, or refuses the id, for example because it is too long.
 * A tool has no error codes. A test in test/browser fails if the first of these texts changes.
 */
const isUselessId = (error: unknown): boolean =>
  error instanceof Error && /^(No listing has the id|Invalid arguments\.)/.test(error.message);
