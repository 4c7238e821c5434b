import type { Language } from './preferences.ts';

/** Formats an amount in BRL. */
export const money = (brl: number, language: Language): string =>
  new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: Number.isInteger(brl) ? 0 : 2,
  }).format(brl);

export const count = (value: number, language: Language): string =>
  new Intl.NumberFormat(language).format(value);

/** A calendar date has no time zone, so its parts are those of UTC. */
const utc = (date: string): Date => new Date(`${date}T00:00:00Z`);

/** Formats a calendar date. @param date YYYY-MM-DD */
export const dateText = (
  date: string,
  language: Language,
  options: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', weekday: 'short' },
): string => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(utc(date));

/** Formats a size in bytes with the units of 1,000. */
export function byteText(bytes: number, language: Language): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const power = bytes < 1_000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(bytes / 1_000 ** power);
}
