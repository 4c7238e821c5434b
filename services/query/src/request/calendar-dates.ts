import { dayNumber } from '@vitrine/feed-index';

const DAY_MS = 86_400_000;

/** The last date that YYYY-MM-DD can express. No stay can end later. */
export const LAST_DATE = '9999-12-31';
const LAST_DAY = dayNumber(LAST_DATE);
const FIRST_DAY = dayNumber('0000-01-01');

/** Adds `days` to `date` (YYYY-MM-DD). The result is limited to the range from 0000-01-01 to 9999-12-31. */
export function addDays(date: string, days: number): string {
  const day = Math.min(Math.max(dayNumber(date) + days, FIRST_DAY), LAST_DAY);
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns every date from `first` to `last`, inclusive. Returns no dates if `last` is before `first`. */
export function datesFrom(first: string, last: string): string[] {
  const count = dayNumber(last) - dayNumber(first) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, days) => addDays(first, days));
}

const saoPaulo = new Intl.DateTimeFormat('en', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Returns the date at `instant` in America/Sao_Paulo, as YYYY-MM-DD. Rule: docs/reference/rules.md#today. */
export function dateInSaoPaulo(instant: Date): string {
  const parts = Object.fromEntries(saoPaulo.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/**
 * Creates a function that returns today's date. The function computes the date at most once per second
 * because every request needs it.
 */
export function createToday(now: () => number = Date.now): () => string {
  let date = '';
  let second = Number.NaN;
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      date = dateInSaoPaulo(new Date(current * 1_000));
    }
    return date;
  };
}
