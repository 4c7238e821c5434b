import { changePreferences, type Theme, usePreferences, useTexts } from './preferences.ts';
import { Select } from './Select.tsx';

const TEXTS = {
  en: { theme: 'Theme', themes: { system: 'System theme', light: 'Light theme', dark: 'Dark theme' } },
  'pt-BR': { theme: 'Tema', themes: { system: 'Tema do sistema', light: 'Tema claro', dark: 'Tema escuro' } },
};

/** The choice of the theme for all views. */
export function ThemeSelect() {
  const texts = useTexts(TEXTS);
  const { theme } = usePreferences();
  return (
    <Select
      aria-label={texts.theme}
      value={theme}
      options={Object.entries(texts.themes)}
      onChoose={(name) => changePreferences({ theme: name as Theme })}
    />
  );
}
