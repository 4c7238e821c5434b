import { dateText, money } from '../components/format.ts';
import { usePreferences } from '../components/preferences.ts';
import { type Forms, number, plural } from '../components/words/words.ts';
import { TEXTS } from './texts.ts';

/** The explorer's texts and formats in the chosen language. */
export function useWords() {
  const { language } = usePreferences();
  return {
    language,
    texts: TEXTS[language],
    number: (value: number) => number(language, value),
    plural: (count: number, forms: Forms) => plural(language, count, forms),
    money: (brl: number) => money(brl, language),
    dateText: (date: string, options?: Intl.DateTimeFormatOptions) => dateText(date, language, options),
  };
}
