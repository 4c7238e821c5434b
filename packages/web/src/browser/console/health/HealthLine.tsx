import type { ConsoleState } from '../api-types.ts';
import { Original } from '../Original.tsx';
import { hashOf } from '../route.ts';
import { useWords } from '../use-words.ts';
import { problemSentence, type ShownProblem } from './texts-health.ts';

/** The view where a person can see more about a problem, or solve it. */
const VIEWS = {
  'dead-letters': 'dead-letters',
  'rebuild-interrupted': 'rebuild',
  'verify-failed': 'rebuild',
  'reconcile-differs': 'reconciliation',
  'reconcile-failed': 'reconciliation',
} as const;

/** The worst level of the problems. */
export const worst = (problems: readonly ShownProblem[]): 'good' | 'warn' | 'bad' =>
  problems.some(({ level }) => level === 'bad') ? 'bad' : problems.length > 0 ? 'warn' : 'good';

/** One line above every view: whether the feed is healthy, and everything that needs attention. */
export function HealthLine({ state, deadLetters }: { state: ConsoleState; deadLetters: number }) {
  const { texts, language, clock } = useWords();
  const { status, failing, health, now, at } = state;
  if (!status && !failing) return <p class="notice">{texts.connecting}</p>;
  const problems: ShownProblem[] = [
    ...health,
    ...(deadLetters > 0 ? [{ code: 'dead-letters', level: 'warn', count: deadLetters } as const] : []),
  ];
  const level = worst(problems);
  const live = status?.generations.find(({ role }) => role === 'live');
  const well = live?.lag?.records === 0 ? texts.allWell : texts.almost;
  return (
    <section class={`notice health ${level}`} aria-label={texts.health}>
      <span class={`chip ${level}`}>{texts[level]}</span>
      {problems.length === 0 && <span>{well}</span>}
      <ul class="row">
        {problems.map((problem) => (
          <li key={problem.code}>
            <Sentence problem={problem} text={problemSentence(problem, language, now)} />
          </li>
        ))}
      </ul>
      {failing && at !== undefined && <span class="soft">{texts.lastStatus(clock(at))}</span>}
      {/* This text contains no durations, because they would be read out every second. */}
      <span class="hidden-text" role="status">
        {problems.map((problem) => problemSentence(problem, language)).join(' ')}
      </span>
    </section>
  );
}

function Sentence({ problem, text }: { problem: ShownProblem; text: string }) {
  const { texts } = useWords();
  const view = VIEWS[problem.code as keyof typeof VIEWS];
  if (view) return <a href={hashOf({ view })}>{text}</a>;
  const strong = problem.level === 'bad' ? <strong>{text}</strong> : text;
  if (!('message' in problem) || problem.code === 'other-rules-module') return strong;
  return (
    <details>
      <summary>{strong}</summary>
      <div class="small">
        <Original text={problem.message} meaning={texts.engineFails} />
      </div>
    </details>
  );
}
