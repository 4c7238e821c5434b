import { useState } from 'preact/hooks';
import { useTexts } from '../../components/preferences.ts';
import type { SearchState } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { CAPITALS } from './capitals.ts';

export interface PlaceFieldProps {
  state: SearchState;
  onChange(place: { lat: number; lng: number; localOnly: boolean } | undefined): void;
}

/** The point from which the feed sorts, and whether it leaves out the listings that are farther away. */
export function PlaceField({ state: { lat, lng, localOnly = false }, onChange }: PlaceFieldProps) {
  const texts = useTexts(TEXTS);
  const [hasFailed, setFailed] = useState(false);
  const locate = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setFailed(false);
        // Three decimals are about 100 m: enough to sort, and a shared URL does not contain an exact address.
        onChange({ lat: rounded(coords.latitude), lng: rounded(coords.longitude), localOnly });
      },
      () => setFailed(true),
    );
  const set = (change: { lat?: number; lng?: number }) => {
    const next = { lat: lat ?? 0, lng: lng ?? 0, localOnly, ...change };
    if (Math.abs(next.lat) <= 90 && Math.abs(next.lng) <= 180) onChange(next);
  };
  const coordinate = (name: 'lat' | 'lng', label: string, value: number | undefined, bound: number) => (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type="number"
        step="0.001"
        min={-bound}
        max={bound}
        value={value ?? ''}
        onChange={({ currentTarget }) =>
          currentTarget.value !== '' && set({ [name]: currentTarget.valueAsNumber })
        }
      />
    </div>
  );
  return (
    <fieldset class="field">
      <legend class="hidden-text">{texts.nearMe}</legend>
      <div class="row spread">
        <span class="label">{texts.nearMe}</span>
        {lat !== undefined && (
          <button type="button" class="button compact quiet" onClick={() => onChange(undefined)}>
            {texts.clear}
          </button>
        )}
      </div>
      <div class="stack">
        <button type="button" class="button" onClick={locate}>
          {texts.useLocation}
        </button>
        <select
          aria-label={texts.nearCity}
          value={CAPITALS.findIndex((capital) => capital.lat === lat && capital.lng === lng)}
          onChange={({ currentTarget }) => {
            const capital = CAPITALS[Number(currentTarget.value)];
            if (capital) onChange({ lat: capital.lat, lng: capital.lng, localOnly });
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
        {coordinate('lat', texts.latitude, lat, 90)}
        {coordinate('lng', texts.longitude, lng, 180)}
      </div>
      {lat !== undefined && lng !== undefined && (
        <label class="row">
          <input
            type="checkbox"
            checked={localOnly}
            onChange={({ currentTarget }) => onChange({ lat, lng, localOnly: currentTarget.checked })}
          />
          {texts.localOnly}
        </label>
      )}
    </fieldset>
  );
}

const rounded = (degrees: number): number => Math.round(degrees * 1_000) / 1_000;
