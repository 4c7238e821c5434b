import { useState } from 'preact/hooks';
import { useTexts } from '../../components/preferences.ts';
import type { SearchState } from '../search-state.ts';
import { TEXTS } from '../texts.ts';

/** The capitals of Brazil's states with their latitude and longitude in degrees, as starting points of a search. */
const CAPITALS: readonly [name: string, lat: number, lng: number][] = [
  ['Aracaju', -10.911, -37.072],
  ['Belém', -1.456, -48.49],
  ['Belo Horizonte', -19.917, -43.935],
  ['Boa Vista', 2.82, -60.673],
  ['Brasília', -15.794, -47.883],
  ['Campo Grande', -20.449, -54.62],
  ['Cuiabá', -15.601, -56.097],
  ['Curitiba', -25.429, -49.271],
  ['Florianópolis', -27.595, -48.548],
  ['Fortaleza', -3.732, -38.527],
  ['Goiânia', -16.687, -49.265],
  ['João Pessoa', -7.12, -34.845],
  ['Macapá', 0.035, -51.066],
  ['Maceió', -9.666, -35.735],
  ['Manaus', -3.119, -60.022],
  ['Natal', -5.795, -35.211],
  ['Palmas', -10.249, -48.324],
  ['Porto Alegre', -30.035, -51.218],
  ['Porto Velho', -8.761, -63.9],
  ['Recife', -8.058, -34.883],
  ['Rio Branco', -9.975, -67.81],
  ['Rio de Janeiro', -22.907, -43.173],
  ['Salvador', -12.974, -38.502],
  ['São Luís', -2.53, -44.303],
  ['São Paulo', -23.551, -46.633],
  ['Teresina', -5.089, -42.802],
  ['Vitória', -20.316, -40.313],
];

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
      <div class="coordinates">
        <button type="button" class="button" onClick={locate}>
          {texts.useLocation}
        </button>
        <select
          aria-label={texts.nearCity}
          value={CAPITALS.findIndex(([, ...place]) => place[0] === lat && place[1] === lng)}
          onChange={({ currentTarget }) => {
            const capital = CAPITALS[Number(currentTarget.value)];
            if (capital) onChange({ lat: capital[1], lng: capital[2], localOnly });
          }}
        >
          <option value={-1}>{texts.nearCity}</option>
          {CAPITALS.map(([name], index) => (
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
      <div class="coordinates">
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
