import { useWords } from './use-words.ts';

/**
 * A message of a program, which exists only in English. In other languages, its meaning comes first, and the message
 * is folded.
 */
export function Original({ text, meaning }: { text: string; meaning?: string | undefined }) {
  const { texts, language } = useWords();
  if (language === 'en') return <span>{text}</span>;
  return (
    <div>
      {meaning}
      <details class="small">
        <summary>{texts.originalMessage}</summary>
        <span lang="en">{text}</span>
      </details>
    </div>
  );
}
