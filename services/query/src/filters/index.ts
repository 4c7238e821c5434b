import type { FilterName } from '@vitrine/feed-index/filters';
import { adType } from './ad-type.ts';
import { categories, words } from './catalog.ts';
import { dates } from './dates.ts';
import type { Filter, FilterTexts } from './filter.ts';
import { place } from './place.ts';
import { price } from './price.ts';
import { rating } from './rating.ts';
import { category, city, state, subCategory } from './slugs.ts';
import { sort } from './sort.ts';
import { stay } from './stay.ts';

/**
 * The owner of each filter, in the order of the documents. The values in a cursor's fingerprint have the same
 * order, so an existing entry never moves.
 */
const OWNERS = {
  ad_type: adType,
  city,
  category,
  sub_category: subCategory,
  date: dates,
  date_to: dates,
  lat: place,
  lng: place,
  localOnly: place,
  categories,
  min_price: price,
  max_price: price,
  words,
  state,
  min_rating: rating,
  nights: stay,
  min_total_price: stay,
  max_total_price: stay,
  sort,
} as const satisfies { [N in FilterName]: { parameters: Record<N, FilterTexts> } } & Record<string, unknown>;

type CriteriaOf<F> = F extends Filter<infer Criteria, infer _> ? Criteria : never;
type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never;

/**
 * The normalized values of all filters of a request. A filter that the request does not use has no member.
 */
export type FilterCriteria = Intersection<CriteriaOf<(typeof OWNERS)[keyof typeof OWNERS]>>;

export const FILTERS: readonly Filter<FilterCriteria>[] = [...new Set(Object.values(OWNERS))];

/** The descriptions of every parameter, in the order of the documents. */
export const PARAMETERS = Object.assign({}, ...FILTERS.map(({ parameters }) => parameters)) as Record<
  FilterName,
  FilterTexts
>;
