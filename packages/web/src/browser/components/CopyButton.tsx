import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button, ButtonText } from './Button.tsx';
import { useTexts } from './preferences.ts';
import { bilingual } from './words/glossary.ts';

const TEXTS = bilingual({
  copy: ['Copy', 'Copiar'],
  copied: ['Copied', 'Copiado'],
  failed: [
    'The browser refused to copy. Select the text and copy it.',
    'O navegador não copiou. Selecione o texto e copie.',
  ],
});

const SHOWN_MS = 2_000;

export interface CopyButtonProps {
  text: string;
  /** The text's name for screen readers. */
  what?: string;
  /** A label that replaces the usual one. */
  label?: string;
  /** An icon that replaces the label on a narrow page. */
  icon?: ComponentChildren;
}

/** A button that copies text to the clipboard and confirms this. */
export function CopyButton({ text, what, label, icon }: CopyButtonProps) {
  const texts = useTexts(TEXTS);
  const [state, setState] = useState<'copy' | 'copied' | 'failed'>('copy');
  useEffect(() => {
    if (state === 'copy') return;
    const timer = setTimeout(() => setState('copy'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  const shown = state === 'copy' ? (label ?? texts.copy) : texts[state];
  return (
    <Button kind="compact" onClick={() => void copy()}>
      <span aria-live="polite">
        {icon === undefined ? shown : <ButtonText text={shown} icon={state === 'copied' ? '✓' : icon} />}
      </span>
      {what !== undefined && <span class="hidden-text"> {what}</span>}
    </Button>
  );
}
