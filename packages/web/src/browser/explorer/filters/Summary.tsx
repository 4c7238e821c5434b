import type { Sort } from '@vitrine/feed-index/filters';
import type { ComponentChildren } from 'preact';
import { Button } from '../../components/Button.tsx';
import { Select } from '../../components/Select.tsx';
import { type FilterProps, type StateChange, sortsOf, withoutFilters } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import type { ActiveFilter } from './active-filters.ts';

export interface SummaryProps extends FilterProps {
  /** The number of listings, if it is known. */
  total: number | undefined;
  isLoading: boolean;
  filters: readonly ActiveFilter[];
  /** Additional controls before the sort order. */
  children?: ComponentChildren;
}

const HEADING = 'total';

/** The number and the order of the results, and for each filter a chip that removes the filter. */
export function Summary({ state, total, isLoading, filters, children, onChange }: SummaryProps) {
  const { texts, plural } = useWords();
  const sorts = sortsOf(state);
  const remove = (change: StateChange) => {
    // The focused button disappears.
    document.getElementById(HEADING)?.focus({ preventScroll: true });
    onChange(change);
  };
  const unknown = isLoading ? texts.loading : texts.results;
  return (
    <div class="row summary">
      <h2 id={HEADING} tabIndex={-1} class={isLoading ? 'number waiting' : 'number'} aria-live="polite">
        {total === undefined ? unknown : plural(total, texts.listings)}
      </h2>
      {filters.length > 0 && (
        <ul class="row chips" aria-label={texts.active}>
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
      <div class="row tools">
        {children}
        <Select
          aria-label={texts.sort}
          value={state.sort ?? sorts[0]}
          options={sorts.map((sort) => [sort, texts[`sort-${sort}`]] as const)}
          onChoose={(sort) => onChange({ sort: sort as Sort })}
        />
      </div>
    </div>
  );
}
