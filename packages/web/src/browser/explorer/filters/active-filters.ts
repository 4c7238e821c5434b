import { AD_TYPES } from '@vitrine/feed-index/ad-types';
import { FILTERS, listValues, SUGGESTED_FILTERS } from '@vitrine/feed-index/filters';
import { money } from '../../components/format.ts';
import type { Language } from '../../components/preferences.ts';
import { number, plural } from '../../components/words/words.ts';
import { nameOf, stateName } from '../names.ts';
import type { SearchState, StateChange } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { capitalAt } from './capitals.ts';

/** A filter in the words of a person, and the change that removes it. */
export interface ActiveFilter {
  text: string;
  removal: StateChange;
}

/** Lists the filters of a state, each value of a list alone. The feed and the order filter nothing. */
export function activeFilters(state: SearchState, language: Language): ActiveFilter[] {
  const texts = TEXTS[language];
  const { ad_type, date, date_to, nights, lat, lng, localOnly, min_rating } = state;
  const limits = (name: string, min: number | undefined, max: number | undefined): string =>
    `${name}: ${limitText(min, max, language)}`;
  const found: (ActiveFilter | false | undefined)[] = [
    ad_type && { text: AD_TYPES[ad_type].tab[language], removal: { ad_type: undefined } },
    ...SUGGESTED_FILTERS.flatMap((name) => {
      const values = state[name] === undefined ? [] : listValues(state[name]);
      return values.map((value) => ({
        text: nameOf(name, value),
        removal: { [name]: values.filter((other) => other !== value).join(',') || undefined },
      }));
    }),
    state.state !== undefined && { text: stateName(state.state), removal: { state: undefined } },
    date !== undefined && { text: datesText(date, date_to, language), removal: { date: undefined } },
    nights !== undefined && {
      text: plural(language, nights, texts.nights),
      removal: { nights: undefined },
    },
    (state.min_price ?? state.max_price) !== undefined && {
      text: limits(texts.price, state.min_price, state.max_price),
      removal: { min_price: undefined, max_price: undefined },
    },
    (state.min_total_price ?? state.max_total_price) !== undefined && {
      text: limits(texts.total, state.min_total_price, state.max_total_price),
      removal: { min_total_price: undefined, max_total_price: undefined },
    },
    min_rating !== undefined && {
      text: texts.ratingFrom.replace('#', number(language, min_rating)),
      removal: { min_rating: undefined },
    },
    lat !== undefined &&
      lng !== undefined && {
        text: `${texts.near} ${capitalAt(lat, lng) ?? `${number(language, lat)}; ${number(language, lng)}`}`,
        removal: { lat: undefined, lng: undefined },
      },
    localOnly && { text: FILTERS.localOnly.label?.[language] ?? '', removal: { localOnly: undefined } },
  ];
  return found.filter((one): one is ActiveFilter => Boolean(one));
}

/** Writes limits in BRL, both included. */
export function limitText(min: number | undefined, max: number | undefined, language: Language): string {
  const texts = TEXTS[language];
  if (min === undefined) return max === undefined ? '' : `${texts.upTo} ${money(max, language)}`;
  return max === undefined
    ? `${texts.from} ${money(min, language)}`
    : `${money(min, language)} – ${money(max, language)}`;
}

/** Writes one date or a range. @param first YYYY-MM-DD */
export function datesText(first: string, last: string | undefined, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  return format.formatRange(new Date(first), new Date(last ?? first));
}
