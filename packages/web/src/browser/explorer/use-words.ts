import { usePreferences } from '../components/preferences.ts';
import { TEXTS } from './texts.ts';

/** The texts of the chosen language, and the language for numbers and dates. */
export function useWords() {
  const { language } = usePreferences();
  return { texts: TEXTS[language], language };
}
