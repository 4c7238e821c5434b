import { FILTER_NAMES, FILTERS, type FilterName, SUGGESTED_FILTERS } from '@vitrine/feed-index/filters';
import { STATES } from '@vitrine/feed-index/state-names';
import { useState } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import { number, plural } from '../../components/words/words.ts';
import { stateName } from '../names.ts';
import { FEEDS, type Feed, type SearchState, type StateChange } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import { activeFilters } from './active-filters.ts';
import { DateField } from './DateField.tsx';
import { Field, SelectField } from './Field.tsx';
import { LimitFields } from './LimitFields.tsx';
import { PlaceField } from './PlaceField.tsx';
import { PriceField } from './PriceField.tsx';
import { SuggestionField } from './SuggestionField.tsx';

export interface FiltersProps {
  state: SearchState;
  /** The number of listings, if it is known. */
  total: number | undefined;
  isLoading: boolean;
  onChange(change: StateChange): void;
}

const PANEL = 'filters';
/** The width at which the panel is always visible, as in the style sheet. */
const WIDE = '(min-width: 801px)';
const RATINGS = [3, 3.5, 4, 4.5, 4.8];

/** All filters of the feeds except the ad type, which has its tabs. On a narrow page, a button shows them. */
export function Filters({ state, total, isLoading, onChange }: FiltersProps) {
  const { texts, language } = useWords();
  const [isOpen, setOpen] = useState(false);
  const isVisible = isOpen || matchMedia(WIDE).matches;
  const active = activeFilters(state, language).length;
  const ratingText = (value: string) => texts.ratingFrom.replace('#', number(language, Number(value)));
  const labelOf = (name: FilterName) => FILTERS[name].label?.[language] ?? name;
  return (
    <div class="filters">
      <Button
        kind="filters-toggle"
        aria-expanded={isOpen}
        aria-controls={PANEL}
        onClick={() => setOpen(!isOpen)}
      >
        {texts.filters}
        {active > 0 && ` (${number(language, active)})`}
      </Button>
      <section
        id={PANEL}
        class={isOpen ? 'card filters-content open' : 'card filters-content'}
        aria-label={texts.filters}
      >
        {SUGGESTED_FILTERS.map((name) => (
          <SuggestionField key={name} facet={name} label={labelOf(name)} state={state} onChange={onChange} />
        ))}
        <SelectField
          label={labelOf('state')}
          value={state.state}
          options={STATES.map(({ code, name }) => ({ value: code, label: name }))}
          nameOf={stateName}
          onChange={(value) => onChange({ state: value })}
        />
        <DateField state={state} onChange={onChange} />
        <LimitFields
          legend={texts.totalField}
          hint={state.date === undefined ? texts.totalHint : undefined}
          names={['min_total_price', 'max_total_price']}
          state={state}
          isDisabled={state.date === undefined}
          onChange={onChange}
        />
        <PriceField state={state} canCount={isVisible && !isLoading} onChange={onChange} />
        <SelectField
          label={texts.rating}
          value={state.min_rating}
          options={RATINGS.map((rating) => ({ value: String(rating), label: ratingText(String(rating)) }))}
          nameOf={ratingText}
          onChange={(value) => onChange({ min_rating: value === undefined ? undefined : Number(value) })}
        />
        {FILTER_NAMES.filter((name) => FILTERS[name].control === 'field').map((name) => (
          <Field key={name} label={labelOf(name)}>
            {(id) => (
              <input
                id={id}
                type="text"
                value={String(state[name] ?? '')}
                onChange={({ currentTarget }) =>
                  onChange({ [name]: currentTarget.value.trim() || undefined })
                }
              />
            )}
          </Field>
        ))}
        <PlaceField state={state} onChange={onChange} />
        <Field label={texts.feed}>
          {(id) => (
            <select
              id={id}
              value={state.feed}
              onChange={({ currentTarget }) => onChange({ feed: currentTarget.value as Feed })}
            >
              {FEEDS.map((feed) => (
                <option key={feed} value={feed}>
                  {texts[feed]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {total !== undefined && (
          <Button
            kind="primary filters-toggle"
            onClick={() => {
              setOpen(false);
              document.getElementById('total')?.focus();
            }}
          >
            {plural(language, total, texts.showResults)}
          </Button>
        )}
      </section>
    </div>
  );
}
