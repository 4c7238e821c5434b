import type { AdType } from '@vitrine/feed-index/ad-types';
import {
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  type FilterValues,
  type ListFilter,
  listValues,
} from '@vitrine/feed-index/filters';
import {
  checkForms,
  LEGACY_ALIASES,
  PARAMETER_NAMES,
  type TypedParameters,
} from '../contract/feed-parameters.ts';
import type { FeedName } from '../contract/operations.ts';
import type { BadParameter, GivenValues } from '../filters/filter.ts';
import { FILTERS as TABLE } from '../filters/index.ts';
import type { FeedCriteria } from './criteria.ts';
import { decodeCursor } from './cursor.ts';
import { readQueryString } from './query-string.ts';

const START_CURSOR = '*';

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
  const { values: texts, bad: unreadable } = readQueryString(query, PARAMETER_NAMES);
  const { parameters, bad: malformed } = checkForms(texts);
  const { values, bad: contradictory } = filterValues(parameters);
  const isGiven = (name: FilterName) =>
    texts[name] !== undefined || texts[LEGACY_ALIASES[name] ?? name] !== undefined;
  const read = readFilters(values, isGiven, adType);
  const position = readPage(parameters, texts);
  const bad = [...unreadable, ...malformed, ...contradictory, ...read.bad, ...(position.bad ?? [])];
  if (bad.length > 0) return { bad };
  const { cursor, pageSize } = parameters;
  const criteria: FeedCriteria = { feed, pageSize, ...read.criteria, ...position.criteria };
  return cursor === undefined || cursor === START_CURSOR ? criteria : withCursor(criteria, cursor);
}

/** One value of each filter, or several values as an array or as a string with commas. */
export type WrittenValues = {
  [N in FilterName]?: N extends ListFilter ? string | readonly string[] : FilterValues[N];
};

/**
 * Reads the filters of a request with the rules that all interfaces share.
 * @param written the well-formed values
 * @param isGiven whether the request contains a filter, even with a malformed value
 * @param pathType the ad type in the path
 * @returns the criteria in the order of the table, and every bad parameter
 */
export function readFilters(
  written: WrittenValues,
  isGiven: (name: FilterName) => boolean = (name) => written[name] !== undefined,
  pathType?: AdType,
): { criteria: Partial<FeedCriteria>; bad: BadParameter[] } {
  const values = Object.fromEntries(
    Object.entries(written).map(([name, value]) => [
      name,
      FILTERS[name as FilterName].list && typeof value === 'string' ? listValues(value) : value,
    ]),
  ) as GivenValues;
  const readings = TABLE.map((filter) => filter.read({ values, isGiven, pathType }));
  return {
    criteria: Object.assign({}, ...readings.map(({ criteria }) => criteria)) as Partial<FeedCriteria>,
    bad: readings.flatMap(({ bad = [] }) => bad),
  };
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

function readPage(
  { page }: TypedParameters,
  texts: Partial<Record<string, string>>,
): { criteria?: { page: number }; bad?: BadParameter[] } {
  if (texts['cursor'] === undefined) return { criteria: { page } };
  if (texts['page'] === undefined) return {};
  return {
    bad: [
      { parameter: 'page', detail: 'must not be given together with cursor' },
      { parameter: 'cursor', detail: 'must not be given together with page' },
    ],
  };
}

/**
 * Reads each filter from its name or its legacy alias. If the request contains both, they must have the same
 * meaning.
 */
function filterValues(parameters: TypedParameters): { values: WrittenValues; bad: BadParameter[] } {
  const values: Record<string, unknown> = {};
  const bad: BadParameter[] = [];
  for (const name of FILTER_NAMES) {
    const alias = LEGACY_ALIASES[name];
    const [value, other] = [name, alias]
      .map((parameter) => (parameter === undefined ? undefined : parameters[parameter]))
      .filter((given) => (typeof given === 'string' ? given.trim() !== '' : given !== undefined));
    if (value === undefined) continue;
    if (other === undefined || meaning(name, other) === meaning(name, value)) values[name] = value;
    else
      bad.push(
        { parameter: name, detail: `must have the same meaning as its legacy alias ${alias}` },
        { parameter: String(alias), detail: `must have the same meaning as ${name}` },
      );
  }
  return { values, bad };
}

/** Returns a string that is equal for every spelling of the same values. */
const meaning = (name: FilterName, value: unknown): string => JSON.stringify(readFilters({ [name]: value }));
