import { count, dateText } from '../components/format.ts';
import { usePreferences } from '../components/preferences.ts';
import { clock, dateTime, duration } from './formats.ts';
import { TEXTS } from './texts.ts';

/** The console's texts and formats in the chosen language. */
export function useWords() {
  const { language } = usePreferences();
  const texts = TEXTS[language];
  return {
    language,
    texts,
    count: (value: number | undefined) => (value === undefined ? '–' : count(value, language)),
    clock: (at: number | string) => clock(at, language),
    dateTime: (at: number | string | undefined) => (at === undefined ? '–' : dateTime(at, language)),
    dateText: (date: string, options?: Intl.DateTimeFormatOptions) => dateText(date, language, options),
    duration: (seconds: number) => duration(seconds, language),
    letterReason: (reason: string): string => texts.letterReasons[reason] ?? reason,
  };
}
