import { useWords } from './use-words.ts';

interface OriginalProps {
  text: string;
  meaning?: string | undefined;
}

/** A program's message in a frame of its own. */
export const OriginalNotice = ({ tone, ...message }: OriginalProps & { tone: string }) => (
  <div class={`notice ${tone}`}>
    <Original {...message} />
  </div>
);

/**
 * A program's message, which exists only in English. In other languages, the meaning comes first, and the
 * message is collapsed.
 */
export function Original({ text, meaning }: OriginalProps) {
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
