import type { ComponentChildren } from 'preact';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { type Problem, problemText } from '../components/words/problem-text.ts';
import { EmptyResult, type EmptyResultProps } from './EmptyResult.tsx';
import type { FeedBody, FeedItem } from './feed-page.ts';
import { Paging, type PagingProps } from './Paging.tsx';
import { TEXTS } from './texts.ts';
import type { PageResult } from './use-page.ts';

export interface ResultsProps extends Omit<EmptyResultProps, 'onChange'> {
  result: PageResult;
  renderCard(item: FeedItem): ComponentChildren;
  onFilter: EmptyResultProps['onChange'];
  onMove: PagingProps['onChange'];
}

const SKELETONS = 6;

/** The listings of a page, or the reason why there are none. */
export function Results({ result, state, readReason, renderCard, onFilter, onMove }: ResultsProps) {
  const texts = useTexts(TEXTS);
  const { answer, isLoading, isUnreachable, retry } = result;
  if (isUnreachable) return <Failure title={texts.unreachable} onRetry={retry} />;
  if (answer === undefined)
    return (
      <ul class="listings" aria-label={texts.loading}>
        {Array.from({ length: SKELETONS }, (_, index) => (
          <li key={index} class="card listing">
            <div class="picture skeleton" />
            <div class="skeleton line" />
            <div class="skeleton line short" />
          </li>
        ))}
      </ul>
    );
  if (answer.kind === 'problem') {
    const { problem, transfer } = answer;
    const note = transfer.status >= 500 ? texts.outage : undefined;
    return <Failure problem={problem} note={note} onRetry={retry} />;
  }
  const { data, meta } = answer.page;
  if (data.length === 0 && !isLoading)
    return meta.total > 0 ? (
      <div class="stack">
        <p class="notice">{texts.pastEnd}</p>
        <Paging state={state} meta={meta} onChange={onMove} />
      </div>
    ) : (
      <EmptyResult state={state} readReason={readReason} onChange={onFilter} />
    );
  return (
    <div class="stack">
      <Total meta={meta} />
      <ul class={isLoading ? 'listings waiting' : 'listings'}>{data.map(renderCard)}</ul>
      <Paging state={state} meta={meta} onChange={onMove} />
    </div>
  );
}

function Total({ meta }: { meta: FeedBody['meta'] }) {
  const texts = useTexts(TEXTS);
  return (
    <h2 class="number" aria-live="polite">
      {texts.items(meta.total)}
    </h2>
  );
}

interface FailureProps {
  title?: string;
  problem?: Problem;
  note?: string | undefined;
  onRetry(): void;
}

/** The problem in the words of its type. */
function Failure({ title, problem, note, onRetry }: FailureProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
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
        <button type="button" class="button" onClick={onRetry}>
          {texts.retry}
        </button>
      </div>
    </div>
  );
}
