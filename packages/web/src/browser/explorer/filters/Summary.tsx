import type { Sort } from '@vitrine/feed-index/filters';
import type { ComponentChildren } from 'preact';
import { Button } from '../../components/Button.tsx';
import { plural } from '../../components/words/words.ts';
import { type SearchState, type StateChange, sortsOf, withoutFilters } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import { activeFilters } from './active-filters.ts';

export interface SummaryProps {
  state: SearchState;
  /** The number of listings, if it is known. */
  total: number | undefined;
  isLoading: boolean;
  /** Further controls beside the order. */
  children?: ComponentChildren;
  onChange(change: StateChange): void;
}

const HEADING = 'total';

/** What the results are: their number, their order, and a chip for each filter that removes it. */
export function Summary({ state, total, isLoading, children, onChange }: SummaryProps) {
  const { texts, language } = useWords();
  const [first = 'newest', ...others] = sortsOf(state);
  const filters = activeFilters(state, language);
  const remove = (change: StateChange) => {
    // The focused button disappears.
    document.getElementById(HEADING)?.focus({ preventScroll: true });
    onChange(change);
  };
  const unknown = isLoading ? texts.loading : texts.results;
  return (
    <div class="stack summary">
      <div class="row spread">
        <h2 id={HEADING} tabIndex={-1} class={isLoading ? 'number waiting' : 'number'} aria-live="polite">
          {total === undefined ? unknown : plural(language, total, texts.listings)}
        </h2>
        <div class="row">
          {children}
          <select
            class="sort"
            aria-label={texts.sort}
            value={state.sort ?? first}
            onChange={({ currentTarget }) => onChange({ sort: currentTarget.value as Sort })}
          >
            {[first, ...others].map((sort) => (
              <option key={sort} value={sort}>
                {texts[`sort-${sort}`]}
              </option>
            ))}
          </select>
        </div>
      </div>
      {filters.length > 0 && (
        <ul class="row" aria-label={texts.active}>
          {filters.map(({ text, removal }) => (
            <li key={text}>
              <Button kind="compact filter-chip" onClick={() => remove(removal)}>
                <span class="hidden-text">{texts.remove}: </span>
                {text} <span aria-hidden="true">×</span>
              </Button>
            </li>
          ))}
          {filters.length > 1 && (
            <li>
              <button type="button" class="link" onClick={() => remove(withoutFilters(state))}>
                {texts.removeChips}
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
