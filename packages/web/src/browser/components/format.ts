import type { Language } from './language.ts';
import { dateFormat } from './words/formatters.ts';
import { number } from './words/words.ts';

/** Formats an amount in BRL. */
export const money = (brl: number, language: Language): string =>
  number(language, brl, {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: Number.isInteger(brl) ? 0 : 2,
  });

export const count = (value: number, language: Language): string => number(language, value);

/** A calendar date has no time zone, so its parts are those of UTC. */
const utc = (date: string): Date => new Date(`${date}T00:00:00Z`);

/** Formats a calendar date. @param date YYYY-MM-DD */
export const dateText = (
  date: string,
  language: Language,
  options: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', weekday: 'short' },
): string => dateFormat(language, { ...options, timeZone: 'UTC' }).format(utc(date));
