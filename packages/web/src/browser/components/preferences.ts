import { useEffect, useState } from 'preact/hooks';
import type { Language } from './language.ts';

export type { Language };
export type Theme = 'system' | 'light' | 'dark';

interface Preferences {
  language: Language;
  theme: Theme;
  /** Whether the explorer shows the request and the response. */
  isDeveloper: boolean;
  /** Whether the explorer shows the map. */
  hasMap: boolean;
}

const KEY = 'vitrine-preferences';
/** A wide window has room for the map beside the results. */
const WIDE = matchMedia('(min-width: 1241px)');
const listeners = new Set<() => void>();
let current: Preferences = { ...preset(), ...stored(), ...ofPage() };
apply();

function preset(): Preferences {
  const isPortuguese = navigator.languages.some((tag) => /^pt\b/i.test(tag));
  return {
    language: isPortuguese ? 'pt-BR' : 'en',
    theme: 'system',
    isDeveloper: false,
    hasMap: WIDE.matches,
  };
}

/** Reads the stored preferences. The storage may be blocked, or may hold a value from another version. */
function stored(): Partial<Preferences> {
  try {
    const { language, theme, isDeveloper, hasMap } = JSON.parse(
      localStorage.getItem(KEY) ?? '{}',
    ) as Partial<Preferences>;
    return {
      ...((language === 'en' || language === 'pt-BR') && { language }),
      ...((theme === 'light' || theme === 'dark') && { theme }),
      ...(isDeveloper === true && { isDeveloper }),
      ...(typeof hasMap === 'boolean' && { hasMap }),
    };
  } catch {
    return {};
  }
}

/** A documentation page has one language, whatever the browser prefers. */
function ofPage(): Partial<Preferences> {
  const { lang, dataset } = document.documentElement;
  return dataset['docs'] === undefined ? {} : { language: lang as Language };
}

function apply(): void {
  const { documentElement } = document;
  documentElement.lang = current.language;
  if (current.theme === 'system') delete documentElement.dataset['theme'];
  else documentElement.dataset['theme'] = current.theme;
}

/** Changes this browser's preferences for all views. */
export function changePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  apply();
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...preset(), ...stored(), ...change }));
  } catch {
    // Without storage, the preferences apply only to this page.
  }
  for (const listener of listeners) listener();
}

/** Returns the preferences, and renders the component again when they change. */
export function usePreferences(): Preferences {
  const [preferences, set] = useState(current);
  useEffect(() => {
    const listener = () => set(current);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return preferences;
}

/** Selects the texts in the chosen language. */
export function useTexts<T>(texts: Record<Language, T>): T {
  return texts[usePreferences().language];
}
