import { Button } from '../../components/Button.tsx';
import { type Problem, problemText } from '../../components/words/problem-text.ts';
import { useWords } from '../use-words.ts';

export interface FailureProps {
  title?: string;
  problem?: Problem;
  note?: string | undefined;
  onRetry(): void;
  /** Leads back to a request that works. Without it, only another attempt can help. */
  onStartOver?: (() => void) | undefined;
}

/** The problem in the words of its type, and the way on. */
export function Failure({ title, problem, note, onRetry, onStartOver }: FailureProps) {
  const { texts, language } = useWords();
  const shown = problem && problemText(language, problem);
  return (
    <div class="notice bad stack" role="alert">
      <h2>{shown ? `${shown.title} (${shown.status})` : title}</h2>
      {shown && (
        <div class="stack">
          {shown.detail && <p>{shown.detail}</p>}
          {shown.errors && (
            <ul>
              {shown.errors.map(({ parameter, detail }) => (
                <li key={`${parameter} ${detail}`}>
                  <code>{parameter}</code> {detail}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {note && <p class="soft">{note}</p>}
      <div>
        <Button onClick={onStartOver ?? onRetry}>{onStartOver ? texts.startOver : texts.retry}</Button>
      </div>
    </div>
  );
}
