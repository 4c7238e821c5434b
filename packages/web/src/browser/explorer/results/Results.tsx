import type { ComponentChildren } from 'preact';
import { Button } from '../../components/Button.tsx';
import type { FeedItem } from '../feed-page.ts';
import { type FilterProps, type SearchState, withoutFilters } from '../search-state.ts';
import type { PageResult } from '../use-page.ts';
import { useWords } from '../use-words.ts';
import { EmptyResult } from './EmptyResult.tsx';
import { Failure } from './Failure.tsx';
import { Paging, type PagingProps, pagesText } from './Paging.tsx';

export interface ResultsProps {
  state: SearchState;
  result: PageResult;
  /** The list that is shown until the first response arrives. */
  first: HTMLElement | undefined;
  renderCard(item: FeedItem): ComponentChildren;
  onFilter: FilterProps['onChange'];
  onMove: PagingProps['onChange'];
}

const SKELETONS = 6;

/** The listings of a page, or the reason why there are none. */
export function Results(props: ResultsProps) {
  const { result, first, state, renderCard, onMove } = props;
  const { texts, language } = useWords();
  const { answer, isLoading, isUnreachable, retry } = result;
  const { page, cursor } = state;
  const onFilter: FilterProps['onChange'] = (change) => {
    // The focused button disappears.
    document.getElementById('results')?.focus({ preventScroll: true });
    props.onFilter(change);
  };
  if (isUnreachable || answer?.kind === 'problem')
    return (
      <div class={answer && isLoading ? 'waiting' : ''}>
        <Failure
          problem={answer?.kind === 'problem' ? answer.problem : undefined}
          onRetry={retry}
          onStartOver={() => ((page ?? cursor) ? onMove({ page: 1 }) : onFilter(withoutFilters(state)))}
        />
      </div>
    );
  if (answer === undefined)
    return first ? (
      // The key keeps these elements apart from those of the next results.
      <div key="first" ref={(frame) => frame?.append(first)} />
    ) : (
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
  const { data, meta } = answer.page;
  if (data.length === 0 && !isLoading)
    return meta.total > 0 ? (
      <div class="notice stack" role="status">
        <p>{pagesText(texts.pastEnd, meta, language)}</p>
        <div class="row">
          <Button onClick={() => onMove({ page: meta.pageCount })}>{texts.lastPage}</Button>
          <Button onClick={() => onMove({ page: 1 })}>{texts.firstPage}</Button>
        </div>
      </div>
    ) : (
      <EmptyResult state={state} onChange={onFilter} />
    );
  return (
    <div class={isLoading ? 'stack waiting' : 'stack'}>
      <ul class="listings">{data.map(renderCard)}</ul>
      <Paging state={state} meta={meta} onChange={onMove} />
    </div>
  );
}
