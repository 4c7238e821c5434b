import type { AdType } from '@vitrine/feed-index/ad-types';
import { slugify } from '@vitrine/listing/text';
import {
  type BadParameter,
  checkForms,
  type FeedParameters,
  LEGACY_ALIASES,
  MAX_RANGE_DAYS,
  PARAMETER_NAMES,
  type ParameterName,
} from '../contract/feed-parameters.ts';
import type { FeedName } from '../contract/operations.ts';
import { addDays } from './calendar-dates.ts';
import type { FeedCriteria } from './criteria.ts';
import { decodeCursor } from './cursor.ts';
import { readQueryString } from './query-string.ts';

const NORMALIZERS = {
  city: (value: string) => slugify(value) ?? '',
  category: (value: string) => slugify(value) ?? '',
  sub_category: (value: string) => slugify(value) ?? '',
  date: (value: string) => value,
};
type Filter = keyof typeof NORMALIZERS;
const FILTERS = Object.keys(NORMALIZERS) as Filter[];

type Values = Partial<Record<ParameterName, string>>;
/** The result of one rule: criteria, or the rejected parameters. */
interface RuleResult {
  criteria?: Partial<FeedCriteria>;
  bad?: BadParameter[];
}

const START_CURSOR = '*';
const LOCAL = new Set(['true', '1', 'on']);

/**
 * Reads a feed request. Rule: docs/reference/rules.md#requests.
 * @param query the raw query, without the `?`
 * @returns the criteria, or every bad parameter
 */
export function readFeedRequest(
  feed: FeedName,
  adType: AdType | undefined,
  query: string,
): FeedCriteria | { bad: BadParameter[] } {
  const { values, bad: unreadable } = readQueryString(query, PARAMETER_NAMES);
  const { parameters, bad: malformed } = checkForms(values);
  const filters = FILTERS.map((name) => readFilter(name, parameters));
  const date = filters.find(({ criteria }) => criteria?.date)?.criteria?.date;
  const readings = [
    ...filters,
    readDateTo(parameters, values, date),
    readPoint(parameters, values),
    readPage(parameters, values),
  ];
  const bad = [...unreadable, ...malformed, ...readings.flatMap((reading) => reading.bad ?? [])];
  if (bad.length > 0) return { bad };
  const criteria: FeedCriteria = Object.assign(
    { feed, ...(adType && { adType }), pageSize: parameters.pageSize },
    ...readings.map(({ criteria }) => criteria),
  );
  return parameters.cursor === undefined || parameters.cursor === START_CURSOR
    ? criteria
    : withCursor(criteria, parameters.cursor);
}

function withCursor(criteria: FeedCriteria, cursor: string): FeedCriteria | { bad: BadParameter[] } {
  const after = decodeCursor(criteria, cursor);
  if (typeof after !== 'string') return { ...criteria, after };
  return {
    bad: [
      {
        parameter: 'cursor',
        detail: after === 'malformed' ? 'must be * or a nextCursor of this feed' : `must not be ${after}`,
      },
    ],
  };
}

function readPage({ page }: FeedParameters, values: Values): RuleResult {
  if (values.cursor === undefined) return { criteria: { page } };
  if (values.page === undefined) return {};
  return { bad: mutualErrors('page', 'cursor', 'must not be given together with') };
}

function readDateTo(
  { date_to: dateTo }: FeedParameters,
  values: Values,
  date: string | undefined,
): RuleResult {
  if (dateTo === undefined) return {};
  const refuse = (detail: string): RuleResult => ({ bad: [{ parameter: 'date_to', detail }] });
  // A malformed `date` already has its own error.
  if (date === undefined)
    return values.date === undefined && values.data === undefined
      ? refuse('must not be given without date')
      : {};
  if (dateTo < date) return refuse('must not be earlier than date');
  if (dateTo > addDays(date, MAX_RANGE_DAYS - 1))
    return refuse(`must end a range of at most ${MAX_RANGE_DAYS} dates`);
  return dateTo === date ? {} : { criteria: { dateTo } };
}

function readPoint({ lat, lng, localOnly }: FeedParameters, values: Values): RuleResult {
  if ((values.lat === undefined) !== (values.lng === undefined))
    return { bad: mutualErrors('lat', 'lng', 'must be given together with') };
  const local = localOnly !== undefined && LOCAL.has(localOnly);
  if (local && values.lat === undefined)
    return { bad: [{ parameter: 'localOnly', detail: 'requires lat and lng' }] };
  // Adding 0 converts -0 to 0, so that -0 and 0 are the same request.
  if (lat === undefined || lng === undefined) return {};
  return { criteria: { point: { lat: lat + 0, lon: lng + 0 }, ...(local && { localOnly: true }) } };
}

const mutualErrors = (one: ParameterName, other: ParameterName, rule: string): BadParameter[] => [
  { parameter: one, detail: `${rule} ${other}` },
  { parameter: other, detail: `${rule} ${one}` },
];

/**
 * Reads a filter from its name or its legacy alias. If the request contains both, they must have the same
 * meaning.
 */
function readFilter(name: Filter, parameters: FeedParameters): RuleResult {
  const alias = LEGACY_ALIASES[name];
  const [given, ...more] = [parameters[name], parameters[alias]]
    .filter((value) => value?.trim())
    .map((value) => NORMALIZERS[name](value ?? ''));
  if (given === undefined) return {};
  if (more.every((other) => other === given)) return { criteria: { [name]: given } };
  return {
    bad: [
      { parameter: name, detail: `must have the same meaning as its legacy alias ${alias}` },
      { parameter: alias, detail: `must have the same meaning as ${name}` },
    ],
  };
}
