import {
  type Facet,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  SUGGESTED_FILTERS,
} from '@vitrine/feed-index/filters';
import { STATES } from '@vitrine/feed-index/state-names';
import { useId, useState } from 'preact/hooks';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { number, plural } from '../../components/words/words.ts';
import type { FacetValue } from '../mcp-tools.ts';
import { stateName } from '../names.ts';
import { FEEDS, type Feed, type SearchState, type StateChange } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { activeFilters } from './active-filters.ts';
import { DateField } from './DateField.tsx';
import { LimitFields } from './LimitFields.tsx';
import { PlaceField } from './PlaceField.tsx';
import { PriceField, type PriceFieldProps } from './PriceField.tsx';
import { SelectField } from './SelectField.tsx';
import { SuggestionField } from './SuggestionField.tsx';
import { FILTER_TEXTS } from './texts.ts';

export interface FiltersProps {
  state: SearchState;
  /** The number of listings, if it is known. */
  total: number | undefined;
  isLoading: boolean;
  suggest(facet: Facet, query: string, signal: AbortSignal): Promise<FacetValue[]>;
  count: PriceFieldProps['count'];
  onChange(change: StateChange): void;
}

const PANEL = 'filters';
/** Where the panel is always visible, as in the style. */
const WIDE = '(min-width: 801px)';
const RATINGS = [3, 3.5, 4, 4.5, 4.8];

/** All filters of the feeds except the ad type, which has its tabs. On a narrow page, a button shows them. */
export function Filters({ state, total, isLoading, suggest, count, onChange }: FiltersProps) {
  const texts = useTexts(FILTER_TEXTS);
  const common = useTexts(TEXTS);
  const { language } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const isVisible = isOpen || matchMedia(WIDE).matches;
  const active = activeFilters(state, language).length;
  const ratingText = (value: string) => texts.ratingFrom.replace('#', number(language, Number(value)));
  const labelOf = (name: FilterName) => FILTERS[name].label?.[language] ?? name;
  return (
    <div class="filters">
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen}
        aria-controls={PANEL}
        onClick={() => setOpen(!isOpen)}
      >
        {texts.filters}
        {active > 0 && ` (${number(language, active)})`}
      </button>
      <section
        id={PANEL}
        class={isOpen ? 'card filters-content open' : 'card filters-content'}
        aria-label={texts.filters}
      >
        {SUGGESTED_FILTERS.map((name) => (
          <SuggestionField
            key={name}
            facet={name}
            label={labelOf(name)}
            value={state[name]}
            suggest={(query, signal) => suggest(name, query, signal)}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
        <SelectField
          label={texts.state}
          value={state.state}
          options={STATES.map(({ code, name }) => ({ value: code, label: name }))}
          nameOf={stateName}
          onChange={(value) => onChange({ state: value })}
        />
        <DateField
          date={state.date}
          dateTo={state.date_to}
          nights={state.nights}
          onChange={(change) => onChange(change)}
        />
        <LimitFields
          legend={texts.total}
          hint={state.date === undefined ? texts.totalHint : undefined}
          names={['min_total_price', 'max_total_price']}
          state={state}
          isDisabled={state.date === undefined}
          onChange={onChange}
        />
        <PriceField state={state} canCount={isVisible && !isLoading} count={count} onChange={onChange} />
        <SelectField
          label={texts.rating}
          value={state.min_rating === undefined ? undefined : String(state.min_rating)}
          options={RATINGS.map((rating) => ({ value: String(rating), label: ratingText(String(rating)) }))}
          nameOf={ratingText}
          onChange={(value) => onChange({ min_rating: value === undefined ? undefined : Number(value) })}
        />
        {FILTER_NAMES.filter((name) => FILTERS[name].control === 'field').map((name) => (
          <ValueField
            key={name}
            label={labelOf(name)}
            value={state[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
        <PlaceField
          state={state}
          onChange={(place) =>
            onChange(
              place
                ? { ...place, localOnly: place.localOnly || undefined }
                : { lat: undefined, lng: undefined },
            )
          }
        />
        <div class="field">
          <label for="feed">{common.feed}</label>
          <select
            id="feed"
            value={state.feed}
            onChange={({ currentTarget }) => onChange({ feed: currentTarget.value as Feed })}
          >
            {FEEDS.map((feed) => (
              <option key={feed} value={feed}>
                {common.feeds[feed]}
              </option>
            ))}
          </select>
        </div>
        {total !== undefined && (
          <button
            type="button"
            class="button primary filters-toggle"
            onClick={() => {
              setOpen(false);
              document.getElementById('total')?.focus();
            }}
          >
            {plural(language, total, texts.showResults)}
          </button>
        )}
      </section>
    </div>
  );
}

interface ValueFieldProps {
  label: string;
  value: string | number | boolean | undefined;
  onChange(value: string | undefined): void;
}

/** A field for any text, without suggestions. */
function ValueField({ label, value, onChange }: ValueFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={value === undefined ? '' : String(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim() || undefined)}
      />
    </div>
  );
}
