import { slugify } from '@vitrine/feed-index';
import { addDays } from './calendar-dates.ts';
import { decodeCursor } from './cursor.ts';
import type { Place, Point } from './feed-order.ts';
import {
  type BadParameter,
  checkForms,
  type FeedParameters,
  LEGACY_ALIASES,
  MAX_RANGE_DAYS,
  PARAMETER_NAMES,
  type ParameterName,
} from './feed-parameters.ts';
import { readQueryString } from './query-string.ts';

export type FeedName = 'public-feed' | 'ai-feed';
export type AdType = 'sale' | 'rent' | 'service';

/** What a request asks for, in one form whatever its spelling was. */
export interface FeedCriteria {
  feed: FeedName;
  adType?: AdType;
  /** Absent when it goes by cursor. */
  page?: number;
  /** What a cursor goes on behind; absent at its start. */
  after?: Place;
  pageSize: number;
  /** Slugs to be equal to; an empty one is asked for by a value without a letter or digit, and no item has it. */
  city?: string;
  category?: string;
  sub_category?: string;
  /** YYYY-MM-DD, a real date. */
  date?: string;
  /** The last date of a range from `date` on, where that is another one. */
  dateTo?: string;
  /** From where the nearest items come first. */
  point?: Point;
  /** Only what is near `point`. */
  localOnly?: true;
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

type Values = Partial<Record<ParameterName, string>>;
/** What one rule makes of the parameters: criteria, or what is bad about them. */
interface Reading {
  wanted?: Partial<FeedCriteria>;
  bad?: BadParameter[];
}

const START = '*';
const LOCAL = new Set(['true', '1', 'on']);

/**
 * What `query` (raw, without the `?`) asks of a feed, or every parameter of it that is bad (API document, "Query parameters"; decisions §3).
 */
export function readFeedRequest(feed: FeedName, adType: AdType | undefined, query: string): FeedCriteria | { bad: BadParameter[] } {
  const { values, bad: unreadable } = readQueryString(query, PARAMETER_NAMES);
  const { parameters, bad: malformed } = checkForms(values);
  const filters = FILTERS.map((name) => readFilter(name, parameters));
  const date = filters.find(({ wanted }) => wanted?.date)?.wanted?.date;
  const readings = [...filters, readDateTo(parameters, values, date), readPoint(parameters, values), readPage(parameters, values)];
  const bad = [...unreadable, ...malformed, ...readings.flatMap((reading) => reading.bad ?? [])];
  if (bad.length > 0) return { bad };
  const criteria: FeedCriteria = Object.assign(
    { feed, ...(adType && { adType }), pageSize: parameters.pageSize },
    ...readings.map(({ wanted }) => wanted),
  );
  return parameters.cursor === undefined || parameters.cursor === START ? criteria : continued(criteria, parameters.cursor);
}

function continued(criteria: FeedCriteria, cursor: string): FeedCriteria | { bad: BadParameter[] } {
  const after = decodeCursor(criteria, cursor);
  if (typeof after !== 'string') return { ...criteria, after };
  return { bad: [{ parameter: 'cursor', detail: after === 'malformed' ? 'must be * or a nextCursor of this feed' : `must not be ${after}` }] };
}

function readPage({ page }: FeedParameters, values: Values): Reading {
  if (values.cursor === undefined) return { wanted: { page } };
  if (values.page === undefined) return {};
  return { bad: together('page', 'cursor', 'must not be given together with') };
}

function readDateTo({ date_to: dateTo }: FeedParameters, values: Values, date: string | undefined): Reading {
  if (dateTo === undefined) return {};
  const refuse = (detail: string): Reading => ({ bad: [{ parameter: 'date_to', detail }] });
  // What is wrong with a given `date` has been said.
  if (date === undefined) return values.date === undefined && values.data === undefined ? refuse('must not be given without date') : {};
  if (dateTo < date) return refuse('must not be before date');
  if (dateTo > addDays(date, MAX_RANGE_DAYS - 1)) return refuse(`must make a range of ${MAX_RANGE_DAYS} dates at most`);
  return dateTo === date ? {} : { wanted: { dateTo } };
}

function readPoint({ lat, lng, localOnly }: FeedParameters, values: Values): Reading {
  if ((values.lat === undefined) !== (values.lng === undefined)) return { bad: together('lat', 'lng', 'must be given together with') };
  const local = localOnly !== undefined && LOCAL.has(localOnly);
  if (local && values.lat === undefined) return { bad: [{ parameter: 'localOnly', detail: 'must not be on without lat and lng' }] };
  // Adding 0 makes -0 the same request as 0.
  if (lat === undefined || lng === undefined) return {};
  return { wanted: { point: { lat: lat + 0, lon: lng + 0 }, ...(local && { localOnly: true }) } };
}

const together = (one: ParameterName, other: ParameterName, rule: string): BadParameter[] => [
  { parameter: one, detail: `${rule} ${other}` },
  { parameter: other, detail: `${rule} ${one}` },
];

/** A filter under its name, its legacy alias, or both when they mean the same. */
function readFilter(name: Filter, parameters: FeedParameters): Reading {
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
