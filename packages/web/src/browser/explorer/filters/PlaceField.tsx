import { FILTERS } from '@vitrine/feed-index/filters';
import { useState } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import { isWithin, type SearchState, type StateChange } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import { CAPITALS } from './capitals.ts';
import { Field } from './Field.tsx';

export interface PlaceFieldProps {
  state: SearchState;
  onChange(change: StateChange): void;
}

/** The point from which the feed sorts, and whether it leaves out the listings that are farther away. */
export function PlaceField({ state, onChange }: PlaceFieldProps) {
  const { texts, language } = useWords();
  const [hasFailed, setFailed] = useState(false);
  const { lat, lng, localOnly = false } = state;
  const locate = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setFailed(false);
        // Three decimals are about 100 m: enough to sort, and a shared URL does not contain an exact address.
        onChange({ lat: rounded(coords.latitude), lng: rounded(coords.longitude) });
      },
      () => setFailed(true),
    );
  return (
    <fieldset class="field">
      <legend class="hidden-text">{texts.nearMe}</legend>
      <div class="row spread">
        <span class="label">{texts.nearMe}</span>
        {lat !== undefined && (
          <Button kind="compact quiet" onClick={() => onChange({ lat: undefined, lng: undefined })}>
            {texts.clear}
          </Button>
        )}
      </div>
      <div class="stack">
        <Button onClick={locate}>{texts.useLocation}</Button>
        <select
          aria-label={texts.nearCity}
          value={CAPITALS.findIndex((capital) => capital.lat === lat && capital.lng === lng)}
          onChange={({ currentTarget }) => {
            const capital = CAPITALS[Number(currentTarget.value)];
            if (capital) onChange({ lat: capital.lat, lng: capital.lng });
          }}
        >
          <option value={-1}>{texts.nearCity}</option>
          {CAPITALS.map(({ name }, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {hasFailed && (
        <p class="small" role="status">
          {texts.locationFailed}
        </p>
      )}
      <div class="pair">
        {(['lat', 'lng'] as const).map((name) => (
          <Field key={name} label={texts[name]}>
            {(id) => (
              <input
                id={id}
                type="number"
                step="0.001"
                min={FILTERS[name].minimum}
                max={FILTERS[name].maximum}
                value={state[name] ?? ''}
                onChange={({ currentTarget: { value, valueAsNumber: degrees } }) =>
                  value !== '' &&
                  isWithin(name, degrees) &&
                  onChange({ lat: lat ?? 0, lng: lng ?? 0, [name]: degrees })
                }
              />
            )}
          </Field>
        ))}
      </div>
      {lat !== undefined && lng !== undefined && (
        <label class="row">
          <input
            type="checkbox"
            checked={localOnly}
            onChange={({ currentTarget }) => onChange({ localOnly: currentTarget.checked || undefined })}
          />
          {FILTERS.localOnly.label?.[language]}
        </label>
      )}
    </fieldset>
  );
}

const rounded = (degrees: number): number => Math.round(degrees * 1_000) / 1_000;
