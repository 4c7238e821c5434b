import type { FeedItem } from '@vitrine/feed-index';
import type { AdType } from '@vitrine/feed-index/ad-types';
import type {
  ArgumentOf,
  FilterArgument,
  FilterName,
  FilterValues,
  KindOf,
  ListFilter,
} from '@vitrine/feed-index/filters';
import type { Shown } from '../agents/answer-text.ts';
import type { Clause } from '../search/order/feed-order.ts';

/** A rejected parameter, in the form of a problem document's `errors` member. */
export interface BadParameter {
  parameter: string;
  detail: string;
}

/** The descriptions of one parameter. An audience without a description does not have the parameter. */
export interface FilterTexts {
  /** The query parameter of the feeds. */
  feeds?: { description: string; example: string | number };
  /** The argument of the agents' tools. Every description has a format, an example or a default. */
  tools?: string | ((settings: { localRadiusKm: number }) => string);
  /** The filter of the UCP extension. */
  ucp?: string;
}

/** The values of each filter. A filter that accepts several values has a list of strings. */
export type GivenValues = {
  [N in FilterName]?: N extends ListFilter ? readonly string[] : FilterValues[N];
};

/** The well-formed values of a request. */
interface GivenFilters {
  values: GivenValues;
  /** Whether the request contains the parameter or its alias, even with a malformed value. */
  isGiven(name: FilterName): boolean;
  pathType?: AdType | undefined;
}

/** The normalized meaning of the values, or the rejected parameters. */
interface Reading<Criteria> {
  criteria?: Partial<Criteria>;
  bad?: BadParameter[];
}

/** The inputs of a clause in addition to the request. */
export interface ClauseSettings {
  /** YYYY-MM-DD. */
  today: string;
  /** Radius of `localOnly`, in kilometers. */
  localRadiusKm: number;
}

/** The members of a stored listing that a filter can compare. */
interface ComparedListing {
  item: FeedItem;
  adType?: string;
}

/** A filter value as the service understood it, with a label for people. */
interface LabeledValue {
  value: string;
  label: string;
}

type AppliedValue<Kind> = Kind extends 'text'
  ? LabeledValue
  : Kind extends 'number'
    ? number
    : Kind extends 'flag'
      ? true
      : string;

/** One value as it is, and several values as an array. */
type OneOrMore<Value> = Value | Value[];

/** The filters in an answer as the service understood them, by the argument's name. */
export type AppliedFilters = {
  [N in FilterName as ArgumentOf<N>]?: N extends ListFilter
    ? OneOrMore<AppliedValue<KindOf<N>>>
    : AppliedValue<KindOf<N>>;
};

/**
 * Everything that the service knows about a filter, or about filters that have a meaning only together. The
 * members for the interfaces are required, so a new filter cannot omit one
 * (docs/decisions/0088-tables-of-filters-and-ad-types.md).
 */
export interface Filter<Criteria extends object, Names extends FilterName = never> {
  /** The parameters that the filter reads, in the order of the documents. */
  parameters: Record<Names, FilterTexts>;
  /** A rule that connects the parameters, as OpenAPI's description states it. */
  rule?: string;
  /** Converts the values to criteria, which are equal for every spelling of the same request. */
  read(given: GivenFilters): Reading<Criteria>;
  /** Every member of the criteria. The members' values are part of a cursor's fingerprint. */
  members: readonly (keyof Criteria & string)[];
  /**
   * Returns the fingerprint's values, if the cursors of version 1.0.0 already contained the filter. Every
   * request has the same number of values.
   */
  firstFingerprint?(criteria: Criteria): unknown[];
  /** The parameters for the links to other pages, with current names and normalized values. */
  links(criteria: Criteria): Partial<Record<FilterName, string | number | undefined>>;
  clauses(criteria: Criteria, settings: ClauseSettings): Clause[];
  /** Whether the clauses narrow only the items, and not the date summaries on the same page. */
  narrowsOnlyItems?: true;
  /**
   * Whether a listing that was found by its id passes. If undefined, the filter does not apply to lookups.
   */
  passes: ((listing: ComparedListing, criteria: Criteria) => boolean) | undefined;
  /** Returns the filter as an answer states it. @param labelOf returns a slug's label for people */
  applied(criteria: Criteria, labelOf: (name: FilterName, slug: string) => string): AppliedFilters;
  /** Describes the filter in a line of text. */
  appliedText(applied: AppliedFilters): Shown[];
  /** The criteria that an empty answer tries to leave out, by the argument's name. */
  removals: { [A in FilterArgument]?: (keyof Criteria & string)[] };
}

/** Leaves out the members without a value. */
export function defined<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const result: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) result[name] = value as NonNullable<typeof value>;
  }
  return result;
}

/** Returns one value as it is, and several values as an array. */
export const oneOrMore = <Value>(values: Value[]): OneOrMore<Value> =>
  values.length === 1 ? (values[0] as Value) : values;

/** Maximum number of values for one filter. */
export const MAX_LIST_VALUES = 20;
/** Separates the values of a list in the criteria and in links. No slug contains a comma. */
const SEPARATOR = ',';

/** Returns the values of a criterion that contains a list. */
export const valuesOf = <Value extends string>(joined: string): Value[] => joined.split(SEPARATOR) as Value[];

/**
 * Writes values as a criterion that is equal for every order and repetition of the same values.
 * @param isFirst selects the values that must come before the others
 */
export function joinValues(
  values: readonly string[],
  isFirst: (value: string) => boolean = () => false,
): string {
  const sorted = [...new Set(values)].sort();
  const first = sorted.filter(isFirst);
  return [...first, ...sorted.filter((value) => !isFirst(value))].join(SEPARATOR);
}

/** Converts -0 to 0, so that both are the same request. */
export const withoutSign = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : value + 0;
