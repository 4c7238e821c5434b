import type { Language } from '../../components/preferences.ts';
import { number, plural } from '../../components/words/words.ts';
import { shownPrice } from '../detail/prices.ts';
import { valueName } from '../names.ts';
import type { SearchState } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import type { Marker, Size, View } from './map-model.ts';

interface MapMarkersProps {
  markers: readonly Marker[];
  view: View;
  size: Size;
  /** The request whose listings are shown. */
  state: SearchState;
  onSelect(marker: Marker): void;
}

/** From this amount on, a label shows a rounded price, because the label has little room. */
const ROUNDED_FROM = 10_000;

const labelPrice = (brl: number, language: Language): string =>
  number(language, brl, {
    style: 'currency',
    currency: 'BRL',
    ...(brl >= ROUNDED_FROM
      ? { notation: 'compact', maximumFractionDigits: 1 }
      : { minimumFractionDigits: Number.isInteger(brl) ? 0 : 2 }),
  });

/** A button for each marker in the view, with its lowest price and its city. */
export function MapMarkers({ markers, view, size, state, onSelect }: MapMarkersProps) {
  const { texts, language } = useWords();
  const inView = markers
    .map((marker) => ({
      marker,
      left: (marker.point.x - view.x) / view.scale,
      top: (marker.point.y - view.y) / view.scale,
    }))
    .filter(({ left, top }) => left >= 0 && left <= size.width && top >= 0 && top <= size.height);
  return (
    <ul class="markers">
      {inView.map(({ marker, left, top }) => {
        const { items } = marker;
        const lowest = Math.min(...items.map((item) => shownPrice(item, state.date !== undefined).amount));
        const cities = [...new Set(items.map(({ location }) => valueName('city', location.city)))];
        return (
          <li key={items[0]?.id} style={{ left: `${left}px`, top: `${top}px` }}>
            <button type="button" class="marker" onClick={() => onSelect(marker)}>
              <strong class="number">
                {labelPrice(lowest, language)}
                {items.length > 1 && '+'}
              </strong>
              <span class="marker-place">
                {items.length > 1 ? plural(language, items.length, texts.listings) : cities[0]}
              </span>
              <span class="hidden-text">{items.length > 1 ? cities.join(', ') : items[0]?.title}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
