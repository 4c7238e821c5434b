import { AD_TYPES } from '@vitrine/feed-index/ad-types';
import { dateText } from '../components/format.ts';
import type { Language } from '../components/language.ts';
import { bilingual } from '../components/words/glossary.ts';
import { plural } from '../components/words/words.ts';
import { type NamedFacet, nameOf } from './names.ts';
import type { SearchState } from './search-state.ts';

const PRODUCT = 'Vitrine';
const TEXTS = bilingual({
  compare: [
    'Comparison of # listing|Comparison of # listings',
    'Comparação de # anúncio|Comparação de # anúncios',
  ],
});
const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };

/** The title of a page that shows a listing. */
export const pageTitle = (text: string): string => `${text} · ${PRODUCT}`;

/**
 * Returns the title of a comparison, or of a results view, which names the view's filters. The page and the
 * service use the same title.
 * @param compared the number of listings in the comparison, 0 if there is none
 */
export function viewTitle(
  { category, sub_category, city, ad_type, date, date_to }: SearchState,
  language: Language,
  compared = 0,
): string {
  if (compared > 0) return pageTitle(plural(language, compared, TEXTS[language].compare));
  const names = (facet: NamedFacet, text: string | undefined) =>
    text === undefined ? [] : [nameOf(facet, text)];
  const dates = [date, date_to].flatMap((day) => (day === undefined ? [] : [dateText(day, language, DATE)]));
  const parts = [
    ...(sub_category === undefined ? names('category', category) : names('sub_category', sub_category)),
    ...names('city', city),
    ...(ad_type === undefined ? [] : [AD_TYPES[ad_type].tab[language]]),
    ...(dates.length > 0 ? [dates.join(' – ')] : []),
  ];
  return parts.length === 0 ? PRODUCT : pageTitle(parts.join(' · '));
}
