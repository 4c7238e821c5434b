import {
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  SUGGESTED_FILTERS,
  type SuggestedFilter,
} from '@vitrine/feed-index/filters';
import { STATES } from '@vitrine/feed-index/state-names';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import type { Options } from '../../components/Select.tsx';
import { stateName } from '../names.ts';
import { FEEDS, type Feed, type FilterProps } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import { DateField } from './DateField.tsx';
import { Field, SelectField } from './Field.tsx';
import { LimitFields } from './LimitFields.tsx';
import { CoordinateFields, PlaceField } from './PlaceField.tsx';
import { PriceField } from './PriceField.tsx';
import { SuggestionField } from './SuggestionField.tsx';

export interface FiltersProps extends FilterProps {
  /** The number of listings, if it is known. */
  total: number | undefined;
  /** Whether a page has loaded and no other page is loading. Only then may the prices be counted. */
  canCount: boolean;
  /** Whether a narrow page shows the panel. A wide one always does. */
  isOpen: boolean;
  onClose(): void;
}

export const FILTERS_ID = 'filters';
const RATINGS = [3, 3.5, 4, 4.5, 4.8];

/** Adds the value from the URL if it is not among the options. */
const including = (options: Options, value: string | number | undefined, name: string): Options =>
  value === undefined || options.some(([option]) => option === value) ? options : [...options, [value, name]];

/**
 * All filters of the feeds except the ad type, which has its own tabs: where and when, how much, and what.
 */
export function Filters({ state, total, canCount, isOpen, onChange, onClose }: FiltersProps) {
  const { texts, language, number, plural } = useWords();
  const { min_rating: rating, state: region } = state;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isOpen) panel.current?.focus();
  }, [isOpen]);
  const ratingText = (value: number) => texts.ratingFrom.replace('#', number(value));
  const labelOf = (name: FilterName) => FILTERS[name].label?.[language] ?? name;
  const suggestions = (facet: SuggestedFilter) => (
    <SuggestionField key={facet} facet={facet} label={labelOf(facet)} state={state} onChange={onChange} />
  );
  return (
    <section
      id={FILTERS_ID}
      ref={panel}
      class={isOpen ? 'card filters open' : 'card filters'}
      aria-label={texts.filters}
      tabIndex={-1}
    >
      {suggestions('city')}
      <DateField state={state} onChange={onChange} />
      <LimitFields
        legend={texts.totalField}
        hint={state.date === undefined ? texts.totalHint : undefined}
        names={['min_total_price', 'max_total_price']}
        state={state}
        isDisabled={state.date === undefined}
        onChange={onChange}
      />
      <PriceField state={state} canCount={canCount} onChange={onChange} />
      <SelectField
        label={texts.rating}
        value={rating}
        none={texts.any}
        options={including(
          RATINGS.map((value) => [value, ratingText(value)] as const),
          rating,
          ratingText(rating ?? 0),
        )}
        onChoose={(value) => onChange({ min_rating: value === undefined ? undefined : Number(value) })}
      />
      {SUGGESTED_FILTERS.filter((name) => name !== 'city').map(suggestions)}
      <SelectField
        label={labelOf('state')}
        value={region}
        none={texts.any}
        options={including(
          STATES.map(({ code, name }) => [code, name] as const),
          region,
          stateName(region ?? ''),
        )}
        onChoose={(value) => onChange({ state: value })}
      />
      {FILTER_NAMES.filter((name) => FILTERS[name].control === 'field').map((name) => (
        <Field key={name} label={labelOf(name)}>
          {(id) => (
            <input
              id={id}
              type="text"
              value={String(state[name] ?? '')}
              onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value.trim() || undefined })}
            />
          )}
        </Field>
      ))}
      <PlaceField state={state} onChange={onChange} />
      <details class="developer-details">
        <summary>{texts.coordinates}</summary>
        <div class="stack">
          <CoordinateFields state={state} onChange={onChange} />
          <SelectField
            label={texts.feed}
            value={state.feed}
            options={FEEDS.map((feed) => [feed, texts[feed]] as const)}
            onChoose={(feed) => onChange({ feed: feed as Feed })}
          />
        </div>
      </details>
      {total !== undefined && (
        <Button kind="primary filters-done" onClick={onClose}>
          {plural(total, texts.showResults)}
        </Button>
      )}
    </section>
  );
}
