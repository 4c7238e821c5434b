import { dateFormat } from './words/formatters.ts';

const DAY_MS = 86_400_000;

/** Whether a string is a date (YYYY-MM-DD) in the years 2000 to 2999. 2026-02-30 is not a date. */
export function isDate(text: string): boolean {
  const time = /^2\d{3}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns the date that is `days` days later. @param date YYYY-MM-DD */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** Returns the number of days from `first` to `last`; negative if `last` is earlier. */
export const daysBetween = (first: string, last: string): number =>
  Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS);

/** Returns the dates of a month in weeks from Sunday to Saturday. Days in other months are undefined. */
export function weeksOf(month: string): (string | undefined)[][] {
  const first = `${month}-01`;
  const lead = weekday(first);
  const days = daysBetween(first, `${nextMonth(month, 1)}-01`);
  const cells = Array.from({ length: Math.ceil((lead + days) / 7) * 7 }, (_, i) =>
    i < lead || i >= lead + days ? undefined : addDays(first, i - lead),
  );
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** Returns the month that is `months` months later. @param month YYYY-MM */
export function nextMonth(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const index = year * 12 + number - 1 + months;
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
}

/** Returns the same day some months later, or the last day of a shorter month. @param date YYYY-MM-DD */
export function addMonths(date: string, months: number): string {
  const first = `${nextMonth(date.slice(0, 7), months)}-01`;
  const last = addDays(`${nextMonth(first.slice(0, 7), 1)}-01`, -1);
  return `${first.slice(0, 8)}${date.slice(8) < last.slice(8) ? date.slice(8) : last.slice(8)}`;
}

/** Returns the day of the week, 0 for Sunday. @param date YYYY-MM-DD */
export const weekday = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay();

/** Returns today's date in America/Sao_Paulo, the time zone of the feed. */
export const todayInBrazil = (): string =>
  dateFormat('en-CA', { timeZone: 'America/Sao_Paulo' }).format(new Date());
