import { slugify } from '@vitrine/feed-index';
import { type BadParameter, checkForms, type FeedParameters, LEGACY_ALIASES, PARAMETER_NAMES } from './feed-parameters.ts';
import { readQueryString } from './query-string.ts';

export type FeedName = 'public-feed' | 'ai-feed';
export type AdType = 'sale' | 'rent' | 'service';

/** What a request asks for, in one form whatever its spelling was. */
export interface FeedCriteria {
  feed: FeedName;
  adType?: AdType;
  page: number;
  pageSize: number;
  /** Slugs to be equal to; an empty one is asked for by a value without a letter or digit, and no item has it. */
  city?: string;
  category?: string;
  sub_category?: string;
  /** YYYY-MM-DD, a real date. */
  date?: string;
}

const AD_TYPES: ReadonlyMap<string, AdType> = new Map([
  ['sale', 'sale'],
  ['rent', 'rent'],
  ['rental', 'rent'],
  ['service', 'service'],
]);

/** The ad type that a path segment names, or undefined for none of ours. API document, "Path parameter". */
export const readAdType = (segment: string): AdType | undefined => AD_TYPES.get(segment);

const meaning = {
  city: (value: string) => slugify(value) ?? '',
  category: (value: string) => slugify(value) ?? '',
  sub_category: (value: string) => slugify(value) ?? '',
  date: (value: string) => value,
};
type Filter = keyof typeof meaning;
const FILTERS = Object.keys(meaning) as Filter[];

/**
 * What `query` (raw, without the `?`) asks of a feed, or every parameter of it that is bad (API document, "Query parameters"; decisions §3).
 */
export function readFeedRequest(feed: FeedName, adType: AdType | undefined, query: string): FeedCriteria | { bad: BadParameter[] } {
  const { values, bad: unreadable } = readQueryString(query, PARAMETER_NAMES);
  const { parameters, bad: malformed } = checkForms(values);
  const filters = FILTERS.map((name) => readFilter(name, parameters));
  const bad = [...unreadable, ...malformed, ...filters.flatMap((filter) => filter.bad ?? [])];
  if (bad.length > 0) return { bad };
  const wanted = Object.assign({}, ...filters.map((filter) => filter.wanted)) as Pick<FeedCriteria, Filter>;
  return { feed, ...(adType && { adType }), page: parameters.page, pageSize: parameters.pageSize, ...wanted };
}

/** A filter under its name, its legacy alias, or both when they mean the same. */
function readFilter(name: Filter, parameters: FeedParameters): { wanted?: Pick<FeedCriteria, Filter>; bad?: BadParameter[] } {
  const alias = LEGACY_ALIASES[name];
  const [given, ...more] = [parameters[name], parameters[alias]].filter((value) => value?.trim()).map((value) => meaning[name](value ?? ''));
  if (given === undefined) return {};
  if (more.every((other) => other === given)) return { wanted: { [name]: given } };
  return {
    bad: [
      { parameter: name, detail: `must mean the same as its legacy alias ${alias}` },
      { parameter: alias, detail: `must mean the same as ${name}` },
    ],
  };
}
