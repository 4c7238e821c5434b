import { changePreferences, type Theme, usePreferences, useTexts } from './preferences.ts';

const TEXTS = {
  en: { theme: 'Theme', themes: { system: 'System theme', light: 'Light theme', dark: 'Dark theme' } },
  'pt-BR': { theme: 'Tema', themes: { system: 'Tema do sistema', light: 'Tema claro', dark: 'Tema escuro' } },
};

/** The choice of the theme for all views. */
export function ThemeSelect() {
  const texts = useTexts(TEXTS);
  const { theme } = usePreferences();
  return (
    <select
      class="compact"
      aria-label={texts.theme}
      value={theme}
      onChange={({ currentTarget }) => changePreferences({ theme: currentTarget.value as Theme })}
    >
      {(['system', 'light', 'dark'] as const).map((name) => (
        <option key={name} value={name}>
          {texts.themes[name]}
        </option>
      ))}
    </select>
  );
}
