import {
  type Facet,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  SUGGESTED_FILTERS,
} from '@vitrine/feed-index/filters';
import { useId, useState } from 'preact/hooks';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import type { FacetValue } from '../mcp-tools.ts';
import { FEEDS, type Feed, type SearchState, type StateChange } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { DateField } from './DateField.tsx';
import { PlaceField } from './PlaceField.tsx';
import { SuggestionField } from './SuggestionField.tsx';

export interface FiltersProps {
  state: SearchState;
  suggest(facet: Facet, query: string, signal: AbortSignal): Promise<FacetValue[]>;
  onChange(change: StateChange): void;
}

/** All filters of the feeds except the ad type, which has its tabs. */
export function Filters({ state, suggest, onChange }: FiltersProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  // A narrow page first shows the results.
  const [isWide] = useState(() => matchMedia('(min-width: 801px)').matches);
  return (
    <details class="card filters" open={isWide}>
      <summary>{texts.filters}</summary>
      <section class="stack filters-content" aria-label={texts.filters}>
        {SUGGESTED_FILTERS.map((name) => (
          <SuggestionField
            key={name}
            facet={name}
            label={FILTERS[name].label?.[language] ?? name}
            value={state[name]}
            suggest={(query, signal) => suggest(name, query, signal)}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
        {FILTER_NAMES.filter((name) => FILTERS[name].control === 'field').map((name) => (
          <ValueField
            key={name}
            name={name}
            label={FILTERS[name].label?.[language] ?? name}
            value={state[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
        <DateField
          date={state.date}
          dateTo={state.date_to}
          onChange={(date, date_to) => onChange({ date, date_to })}
        />
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
          <label for="feed">{texts.feed}</label>
          <select
            id="feed"
            value={state.feed}
            onChange={({ currentTarget }) => onChange({ feed: currentTarget.value as Feed })}
          >
            {FEEDS.map((feed) => (
              <option key={feed} value={feed}>
                {texts.feeds[feed]}
              </option>
            ))}
          </select>
        </div>
      </section>
    </details>
  );
}

interface ValueFieldProps {
  name: FilterName;
  label: string;
  value: string | number | boolean | undefined;
  onChange(value: string | number | undefined): void;
}

/** A field for any text or number, without suggestions. */
function ValueField({ name, label, value, onChange }: ValueFieldProps) {
  const id = useId();
  const { kind, minimum, maximum } = FILTERS[name];
  const isNumber = kind === 'number';
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(isNumber ? { type: 'number', min: minimum, max: maximum } : {})}
        value={value === undefined ? '' : String(value)}
        onChange={({ currentTarget: { value: text } }) =>
          onChange(text.trim() === '' ? undefined : isNumber ? Number(text) : text)
        }
      />
    </div>
  );
}
