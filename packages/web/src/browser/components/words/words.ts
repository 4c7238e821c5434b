import type { Language } from '../language.ts';
import { numberFormat, pluralRules } from './formatters.ts';

/** The singular and the plural of a text. `#` stands for the number. */
export type Forms = `${string}|${string}`;

/** Formats a number with the separators of a language. */
export const number = (language: Language, value: number, options: Intl.NumberFormatOptions = {}): string =>
  numberFormat(language, options).format(value);

/** Selects the form that a language uses for a number, and inserts the number. Example: `# record|# records`. */
export function plural(language: Language, count: number, forms: Forms): string {
  const [one = '', other = ''] = forms.split('|');
  const form = pluralRules(language).select(count) === 'one' ? one : other;
  return form.replaceAll('#', number(language, count));
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Formats a size in bytes with units in steps of 1,000. Only the long name of a byte has a plural. */
export function byteText(bytes: number, language: Language): string {
  const power = bytes < 1_000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return number(language, bytes / 1_000 ** power, {
    style: 'unit',
    unit: BYTE_UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
}
