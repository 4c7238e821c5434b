import { AD_TYPES } from '@vitrine/feed-index/ad-types';
import { FILTERS, listValues, SUGGESTED_FILTERS } from '@vitrine/feed-index/filters';
import { money } from '../../components/format.ts';
import type { Language } from '../../components/preferences.ts';
import { dateFormat } from '../../components/words/formatters.ts';
import { number, plural } from '../../components/words/words.ts';
import { nameOf, stateName } from '../names.ts';
import type { SearchState, StateChange } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { capitalAt } from './capitals.ts';

/** The name of a filter that limits a price. */
export type LimitName = 'min_price' | 'max_price' | 'min_total_price' | 'max_total_price';

/** A filter as readable text, and the change that removes it. */
export interface ActiveFilter {
  text: string;
  removal: StateChange;
}

/** Lists the filters of a state, with a list's values one by one. The feed and the order filter nothing. */
export function activeFilters(state: SearchState, language: Language): ActiveFilter[] {
  const texts = TEXTS[language];
  const { ad_type, date, date_to, nights, lat, lng, localOnly, min_rating } = state;
  /** A chip that removes these filters. */
  const chip = (text: string, ...names: (keyof StateChange)[]): ActiveFilter => ({
    text,
    removal: Object.fromEntries(names.map((name) => [name, undefined])),
  });
  const limits = (title: string, low: LimitName, high: LimitName) =>
    (state[low] ?? state[high]) !== undefined &&
    chip(`${title}: ${limitText(state[low], state[high], language)}`, low, high);
  const found = [
    ad_type && chip(AD_TYPES[ad_type].tab[language], 'ad_type'),
    ...SUGGESTED_FILTERS.flatMap((name) => {
      const values = state[name] === undefined ? [] : listValues(state[name]);
      return values.map((value) => ({
        text: nameOf(name, value),
        removal: { [name]: values.filter((other) => other !== value).join(',') || undefined },
      }));
    }),
    state.state !== undefined && chip(stateName(state.state), 'state'),
    date !== undefined && chip(datesText(date, date_to, language), 'date'),
    nights !== undefined && chip(plural(language, nights, texts.nights), 'nights'),
    limits(texts.price, 'min_price', 'max_price'),
    limits(texts.total, 'min_total_price', 'max_total_price'),
    min_rating !== undefined &&
      chip(texts.ratingFrom.replace('#', number(language, min_rating)), 'min_rating'),
    lat !== undefined &&
      lng !== undefined &&
      chip(
        `${texts.near} ${capitalAt(lat, lng) ?? `${number(language, lat)}; ${number(language, lng)}`}`,
        'lat',
        'lng',
      ),
    localOnly && chip(FILTERS.localOnly.label?.[language] ?? '', 'localOnly'),
  ];
  return found.filter((one): one is ActiveFilter => Boolean(one));
}

/** Writes inclusive limits in BRL. */
export function limitText(min: number | undefined, max: number | undefined, language: Language): string {
  const texts = TEXTS[language];
  if (min === undefined) return max === undefined ? '' : `${texts.upTo} ${money(max, language)}`;
  return max === undefined
    ? `${texts.from} ${money(min, language)}`
    : `${money(min, language)} – ${money(max, language)}`;
}

/** Writes one date or a range. @param first YYYY-MM-DD */
export function datesText(first: string, last: string | undefined, language: Language): string {
  const format = dateFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  return format.formatRange(new Date(first), new Date(last ?? first));
}
