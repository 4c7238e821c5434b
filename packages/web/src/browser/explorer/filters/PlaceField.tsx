import { FILTERS } from '@vitrine/feed-index/filters';
import { useState } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import { Select } from '../../components/Select.tsx';
import { type FilterProps, isWithin } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import { CAPITALS, capitalAt } from './capitals.ts';
import { Field } from './Field.tsx';

/**
 * The point from which the feed sorts by distance, and whether the feed leaves out the listings that are
 * farther away.
 */
export function PlaceField({ state, onChange }: FilterProps) {
  const { texts, language } = useWords();
  const [hasFailed, setFailed] = useState(false);
  const { lat, lng, localOnly = false } = state;
  const hasPlace = lat !== undefined && lng !== undefined;
  const locate = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setFailed(false);
        // Three decimals correspond to about 100 m. This suffices for sorting, and a shared URL does not
        // reveal an exact address.
        onChange({ lat: rounded(coords.latitude), lng: rounded(coords.longitude) });
      },
      () => setFailed(true),
    );
  return (
    <fieldset class="field">
      <legend class="label">{texts.nearMe}</legend>
      <Select
        aria-label={texts.nearCity}
        value={hasPlace ? capitalAt(lat, lng) : undefined}
        none={texts.nearCity}
        options={CAPITALS.map(({ name }) => [name, name] as const)}
        onChoose={(name) => {
          const place = CAPITALS.find((capital) => capital.name === name);
          onChange({ lat: place?.lat, lng: place?.lng });
        }}
      />
      <Button onClick={locate}>{texts.useLocation}</Button>
      {hasFailed && (
        <p class="small" role="status">
          {texts.locationFailed}
        </p>
      )}
      {hasPlace && (
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

/** The same point in degrees. */
export function CoordinateFields({ state, onChange }: FilterProps) {
  const { texts } = useWords();
  const { lat = 0, lng = 0 } = state;
  return (
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
                value !== '' && isWithin(name, degrees) && onChange({ lat, lng, [name]: degrees })
              }
            />
          )}
        </Field>
      ))}
    </div>
  );
}

const rounded = (degrees: number): number => Math.round(degrees * 1_000) / 1_000;
