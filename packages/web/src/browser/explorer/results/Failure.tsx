import { Button } from '../../components/Button.tsx';
import { type Problem, problemText } from '../../components/words/problem-text.ts';
import { useWords } from '../use-words.ts';

export interface FailureProps {
  /** The problem is undefined if the service cannot be reached. */
  problem: Problem | undefined;
  onRetry(): void;
  /** Leads back to a request that works. */
  onStartOver(): void;
}

/** The text of the problem, and a way to continue. */
export function Failure({ problem, onRetry, onStartOver }: FailureProps) {
  const { texts, language } = useWords();
  const {
    title,
    status,
    detail,
    errors = [],
  }: Partial<Problem> = problem ? problemText(language, problem) : {};
  const isRefused = status === 400;
  return (
    <div class="notice bad stack" role="alert">
      <h2>{problem ? `${title} (${status})` : `${texts.unreachable} ${texts.outage}`}</h2>
      {detail && <p>{detail}</p>}
      {errors.length > 0 && (
        <ul>
          {errors.map((error) => (
            <li key={`${error.parameter} ${error.detail}`}>
              <code>{error.parameter}</code> {error.detail}
            </li>
          ))}
        </ul>
      )}
      {status !== undefined && status >= 500 && <p class="soft">{texts.outage}</p>}
      <div>
        <Button onClick={isRefused ? onStartOver : onRetry}>
          {isRefused ? texts.startOver : texts.retry}
        </Button>
      </div>
    </div>
  );
}
