import { usePreferences, useTexts } from '../../components/preferences.ts';
import { plural } from '../../components/words/words.ts';
import { TEXTS } from '../detail/texts.ts';

export interface CompareTrayProps {
  /** The number of chosen listings. */
  chosen: number;
  onCompare(): void;
  onClear(): void;
}

/** Stays visible while listings are chosen for a comparison. */
export function CompareTray({ chosen, onCompare, onClear }: CompareTrayProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  return (
    <section class="tray row" aria-label={texts.comparison}>
      <button type="button" class="button primary" disabled={chosen < 2} onClick={onCompare}>
        {chosen < 2 ? texts.chooseMore : plural(language, chosen, texts.compareChosen)}
      </button>
      <button type="button" class="button" onClick={onClear}>
        {texts.clear}
      </button>
    </section>
  );
}
