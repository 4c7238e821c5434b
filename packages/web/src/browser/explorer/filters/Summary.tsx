import type { Sort } from '@vitrine/feed-index/filters';
import type { ComponentChildren } from 'preact';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { GLOSSARY } from '../../components/words/glossary.ts';
import { plural } from '../../components/words/words.ts';
import { type SearchState, type StateChange, sortsOf, withoutFilters } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { activeFilters } from './active-filters.ts';
import { FILTER_TEXTS } from './texts.ts';

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
  const texts = useTexts(FILTER_TEXTS);
  const { language } = usePreferences();
  const common = useTexts(TEXTS);
  const glossary = useTexts(GLOSSARY);
  const [first = 'newest', ...others] = sortsOf(state);
  const filters = activeFilters(state, language);
  const remove = (change: StateChange) => {
    // The focused button disappears.
    document.getElementById(HEADING)?.focus({ preventScroll: true });
    onChange(change);
  };
  const unknown = isLoading ? glossary.loading : common.results;
  return (
    <div class="stack summary">
      <div class="row spread">
        <h2 id={HEADING} tabIndex={-1} class={isLoading ? 'number waiting' : 'number'} aria-live="polite">
          {total === undefined ? unknown : plural(language, total, glossary.listings)}
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
                {texts.sorts[sort]}
              </option>
            ))}
          </select>
        </div>
      </div>
      {filters.length > 0 && (
        <ul class="row" aria-label={texts.active}>
          {filters.map(({ text, removal }) => (
            <li key={text}>
              <button type="button" class="button compact filter-chip" onClick={() => remove(removal)}>
                <span class="hidden-text">{texts.remove}: </span>
                {text} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
          {filters.length > 1 && (
            <li>
              <button type="button" class="link" onClick={() => remove(withoutFilters(state))}>
                {texts.removeAll}
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
