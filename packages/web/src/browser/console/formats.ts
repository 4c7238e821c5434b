import type { Language } from '../components/preferences.ts';
import { dateFormat } from '../components/words/formatters.ts';
import { number } from '../components/words/words.ts';
import type { Version } from './api-types.ts';
import type { EXPLAIN } from './texts-explain.ts';

/** Formats a time of day with seconds. @param at epoch milliseconds or ISO 8601 */
export const clock = (at: number | string, language: Language): string =>
  dateFormat(language, { timeStyle: 'medium' }).format(new Date(at));

/** Formats date and time. @param at epoch milliseconds or ISO 8601 */
export const dateTime = (at: number | string, language: Language): string =>
  dateFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a duration in its largest unit, such as `5 min`. Seconds are written as `s` in every language. */
export function duration(seconds: number, language: Language): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length * 2) ?? (['second', 1] as const);
  if (unit === 'second') return `${number(language, seconds, { maximumFractionDigits: 0 })} s`;
  return number(language, seconds / length, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 0,
  });
}

/** Formats a number with at most one decimal. */
export const decimal = (value: number, language: Language): string =>
  number(language, value, { maximumFractionDigits: value < 10 ? 1 : 0 });

/** Formats a version. A version with epoch 0 is only a number. */
export const versionText = (
  version: Version,
  { versionOfEpoch }: Pick<typeof EXPLAIN.en, 'versionOfEpoch'>,
): string =>
  typeof version === 'number' ? String(version) : versionOfEpoch(String(version[1]), String(version[0]));

/** Abbreviates large numbers for the axis of a chart, for example `1.2K`. */
export const compact = (value: number, language: Language): string =>
  number(language, value, { notation: 'compact', maximumFractionDigits: 1 });
