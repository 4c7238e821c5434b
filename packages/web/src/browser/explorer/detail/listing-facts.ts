import { money } from '../../components/format.ts';
import type { Language } from '../../components/language.ts';
import { number, plural } from '../../components/words/words.ts';
import type { FeedItem } from '../feed-item.ts';
import { valueName } from '../names.ts';
import type { SearchState } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { priceUnit, shownPrice } from './prices.ts';

/** The feed guarantees a valid URL, but no particular scheme. */
export const isWebAddress = (url: string | undefined): url is string =>
  url !== undefined && /^https?:$/.test(URL.parse(url)?.protocol ?? '');

export const placeText = ({ location }: Pick<FeedItem, 'location'>): string =>
  [location.city, location.state].filter(Boolean).join(', ');

/** The names of the category and the sub-category, each of them once. */
const categoryTexts = ({ category, sub_category }: Partial<FeedItem>): string[] => [
  ...new Set([
    ...(category ? [valueName('category', category)] : []),
    ...(sub_category ? [valueName('sub_category', sub_category)] : []),
  ]),
];

function ratingText({ rating, review_count }: Partial<FeedItem>, language: Language): string {
  const texts = TEXTS[language];
  if (rating === undefined) return texts.unrated;
  const reviews = review_count === undefined ? [] : [plural(language, review_count, texts.reviews)];
  return [`${number(language, rating)} ${texts.of5}`, ...reviews].join(', ');
}

/** A distance with at most one decimal, such as "2.3 km away". */
export const distanceText = (kilometers: number, language: Language): string =>
  TEXTS[language].away.replace(
    '#',
    number(language, kilometers, { maximumFractionDigits: kilometers < 10 ? 1 : 0 }),
  );

/**
 * The facts, in addition to the price, that the detail and the comparison show about a listing, with their
 * names.
 */
export function listingFacts(language: Language): [name: string, textOf: (item: FeedItem) => string][] {
  const texts = TEXTS[language];
  return [
    [texts.place, placeText],
    [texts.category, (item) => categoryTexts(item).join(' · ')],
    [texts.provider, ({ provider }) => provider?.name ?? ''],
    [texts.rating, (item) => ratingText(item, language)],
  ];
}

/** The facts that a card shows about a listing. */
export interface CardFacts {
  price: string;
  /** The unit for which the price applies. It is empty for the whole listing. */
  unit: string;
  place: string;
  categories: string[];
  /** The rating is absent if the listing is unrated. */
  rating?: string;
}

/** The facts of a card. The page and the service, which renders the first results, show the same facts. */
export function cardFacts(
  item: FeedItem,
  { feed, ad_type, date }: SearchState,
  language: Language,
): CardFacts {
  const { amount, nights } = shownPrice(item, date !== undefined);
  const hasCalendar = feed === 'ai-feed' ? item.availability?.length !== 0 : undefined;
  const texts = TEXTS[language];
  return {
    price: money(amount, language),
    unit:
      nights === undefined
        ? texts[priceUnit(ad_type, hasCalendar)]
        : plural(language, nights, texts.forNights),
    place: placeText(item),
    categories: categoryTexts(item),
    ...(item.rating !== undefined && { rating: `★ ${ratingText(item, language)}` }),
  };
}
