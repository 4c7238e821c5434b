import type { FeedItem } from '@vitrine/feed-index';
import type {
  ArgumentOf,
  FilterArgument,
  FilterName,
  FilterValues,
  KindOf,
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

/** The well-formed values of a request. */
interface GivenFilters {
  values: FilterValues;
  /** Whether the request contains the parameter or its alias, even with a malformed value. */
  isGiven(name: FilterName): boolean;
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

/** A filter value as the service understood it, with a text for people. */
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

/** The filters of an answer as the service understood them, by the name of the argument. */
export type AppliedFilters = { [N in FilterName as ArgumentOf<N>]?: AppliedValue<KindOf<N>> };

/**
 * Everything that the service knows about a filter, or about filters that have a meaning only together. The
 * members for the interfaces are required, so a new filter cannot forget one
 * (docs/decisions/0088-tables-of-filters-and-ad-types.md).
 */
export interface Filter<Criteria extends object, Names extends FilterName = never> {
  /** The parameters that the filter reads, in the order of the documents. */
  parameters: Record<Names, FilterTexts>;
  /** A rule between the parameters, as OpenAPI's description states it. */
  rule?: string;
  /** Converts the values to criteria, which are equal for every spelling of the same request. */
  read(given: GivenFilters): Reading<Criteria>;
  /** Every member of the criteria. The members' values belong to a cursor's fingerprint. */
  members: readonly (keyof Criteria & string)[];
  /**
   * The fingerprint's values, if cursors of 1.0.0 already contained the filter: the same number of values for
   * each request.
   */
  firstFingerprint?(criteria: Criteria): unknown[];
  /** The parameters for the links to other pages, with current names and normalized values. */
  links(criteria: Criteria): Partial<Record<FilterName, string | number | undefined>>;
  clauses(criteria: Criteria, settings: ClauseSettings): Clause[];
  /** Whether the clauses narrow only the items, and not the summaries by date beside them. */
  narrowsOnlyItems?: true;
  /** Whether a listing that was found by its id passes. Undefined: the filter does not apply to lookups. */
  passes: ((listing: ComparedListing, criteria: Criteria) => boolean) | undefined;
  /** The filter in an answer. @param labelOf returns the text for people of a slug */
  applied(criteria: Criteria, labelOf: (name: FilterName, slug: string) => string): AppliedFilters;
  /** The filter in a line of text. */
  appliedText(applied: AppliedFilters): Shown[];
  /** The criteria that an empty answer tries to leave out, by the name of the argument. */
  removals: { [A in FilterArgument]?: (keyof Criteria & string)[] };
}

/** Leaves out the members without a value. */
export const defined = <T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
