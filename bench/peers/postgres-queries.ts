import { addDays } from '@vitrine/fixtures';
import { type FeedCriteria, neighboringDates } from '@vitrine/query';
import pg from 'pg';
import { TODAY } from '../dataset.ts';
import { cubeOf, EARTH_RADIUS_METERS } from './postgres-schema.ts';

/** The values of a page, as PostgreSQL found them. */
export interface PostgresPage {
  total: number;
  items: PostgresItem[];
  /** The rows of `meta.availability`. Dates without items have no row. Prices are in BRL. */
  offers: { date: string; items: number; minPrice: number; maxPrice: number }[];
}

export interface PostgresItem {
  /** The served JSON of the item, without availability. */
  feedItem: string;
  /** The prices of the requested dates, in cents. Only the agent feed with a date has them. */
  cents?: number[];
  /** The JSON of the whole calendar. Only the agent feed without a date has it. */
  calendar?: string;
}

/** A statement with its values in the order of its placeholders. */
export interface Statement {
  text: string;
  values: unknown[];
}

export type Row = Record<string, unknown>;
/** Runs a count's statement, or returns the rows of an equal statement that ran shortly before. */
export type Count = (statement: Statement) => Promise<Row[]>;

const RADIUS_METERS = 50_000;
/** The length of the straight line between two points at this distance on the sphere. */
const RADIUS_CHORD = 2 * EARTH_RADIUS_METERS * Math.sin(RADIUS_METERS / (2 * EARTH_RADIUS_METERS));
const CENTS = 100;

/**
 * Reads the service's page from PostgreSQL: the items, the exact total and, for the agent feed with a date,
 * the offers of the neighboring dates. The statements run concurrently on a pool, because this is fastest for
 * a single request.
 * @param count runs the counts. The default runs each of them.
 */
export async function readPage(
  pool: pg.Pool,
  criteria: FeedCriteria,
  count: Count = (statement) => run(pool, statement),
): Promise<PostgresPage> {
  const offers = offersStatement(criteria);
  const [page, [counted], dates] = await Promise.all([
    run(pool, pageStatement(criteria)),
    count(totalStatement(criteria)),
    offers ? count(offers) : [],
  ]);
  return {
    total: Number(counted?.['total']),
    items: page as unknown as PostgresItem[],
    offers: dates.map(({ date, items, min, max }) => ({
      date: String(date),
      items: Number(items),
      minPrice: Number(min) / CENTS,
      maxPrice: Number(max) / CENTS,
    })),
  };
}

/** The names of the prepared statements by text. There are as many texts as combinations of filters. */
const names = new Map<string, string>();

/** Runs a statement. Each connection of the pool prepares the statement once, by name. */
export async function run(pool: pg.Pool, { text, values }: Statement): Promise<Row[]> {
  const name = names.get(text) ?? `feed-${names.size}`;
  names.set(text, name);
  return (await pool.query<Row>({ name, text, values })).rows;
}

/** Collects the values of a statement and returns a placeholder for each. */
function parameters(): { values: unknown[]; put: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, put: (value) => `$${values.push(value)}` };
}

/**
 * An index finds the page's keys. The statement reads the contents of only these items, and not the contents
 * of the items before the page.
 */
function pageStatement(criteria: FeedCriteria): Statement {
  const { values, put } = parameters();
  const { feed, page = 1, pageSize, point } = criteria;
  const dates = requestedDates(criteria);
  const where = whereOf([...filtersOf(criteria, put), ...dateFiltersOf(criteria, put)]);
  const offset = (page - 1) * pageSize;
  const [order, matching] = point
    ? ['distance, id', nearest(cubeOf(point.lat, point.lon), where, offset + pageSize, put)]
    : ['published_at DESC, id', `SELECT key, published_at, id FROM items ${where}`];
  const keys = `SELECT * FROM (${matching}) m ORDER BY ${order} LIMIT ${put(pageSize)} OFFSET ${put(offset)}`;
  const [columns, prices] = servedColumns(feed, dates, put);
  const text = `SELECT ${columns} FROM (${keys}) p JOIN contents USING (key) ${prices} ORDER BY ${order}`;
  return { text, values };
}

/**
 * Up to PostgreSQL 15, an order by distance and id cannot use the index of the distance. Therefore, the index
 * finds the items up to the end of the page, and every other item at the same distance as the last one.
 */
function nearest(here: string, where: string, count: number, put: (value: unknown) => string): string {
  const distance = `position <-> ${put(here)}::cube`;
  return (
    `SELECT key, id, ${distance} AS distance FROM items ${where} ORDER BY ${distance} ` +
    `FETCH FIRST ${put(count)} ROWS WITH TIES`
  );
}

function servedColumns(
  feed: FeedCriteria['feed'],
  dates: string[],
  put: (value: unknown) => string,
): [columns: string, prices: string] {
  if (feed === 'public-feed') return ['feed_item AS "feedItem"', ''];
  if (dates.length === 0) return ['feed_item AS "feedItem", contents.calendar', ''];
  const prices = `SELECT array_agg(cents ORDER BY date) AS cents FROM calendar WHERE item = p.key`;
  const requested = `date = ANY (${put(dates)}::date[])`;
  return ['feed_item AS "feedItem", cents', `CROSS JOIN LATERAL (${prices} AND ${requested}) o`];
}

function totalStatement(criteria: FeedCriteria): Statement {
  const { values, put } = parameters();
  const dates = requestedDates(criteria);
  const [table, where] =
    dates.length === 1 && isInCalendar(criteria) && !isPast(criteria)
      ? ['calendar', [...filtersOf(criteria, put), `date = ${put(dates[0])}`]]
      : ['items', [...filtersOf(criteria, put), ...dateFiltersOf(criteria, put)]];
  return { text: `SELECT count(*) AS total FROM ${table} ${whereOf(where)}`, values };
}

function offersStatement(criteria: FeedCriteria): Statement | undefined {
  const dates = neighboringDates(criteria, TODAY);
  if (dates.length === 0) return undefined;
  const { values, put } = parameters();
  const day = put(dates);
  const filters = filtersOf(criteria, put);
  if (!isInCalendar(criteria)) {
    const figures = 'date::text, count(*) AS items, min(cents), max(cents)';
    const matching = `calendar JOIN (SELECT key FROM items ${whereOf(filters)}) i ON key = item`;
    const text = `SELECT ${figures} FROM ${matching} WHERE date = ANY (${day}::date[]) GROUP BY date`;
    return { text, values };
  }
  // The lowest and the highest price are the first and the last entry in an index.
  const one = (figure: string) => `(SELECT ${figure} FROM calendar ${whereOf([...filters, 'date = day'])})`;
  const figures = `${one('count(*)')} AS items, ${one('min(cents)')} AS min, ${one('max(cents)')} AS max`;
  return {
    text: `SELECT * FROM (SELECT day::text AS date, ${figures} FROM unnest(${day}::date[]) day) d WHERE items > 0`,
    values,
  };
}

/** Whether an index of the calendar alone finds the offers: it contains the city, but no other filter. */
const isInCalendar = ({ adType, category, sub_category, localOnly }: FeedCriteria): boolean =>
  [adType, category, sub_category, localOnly].every((filter) => filter === undefined);

const isPast = ({ date }: FeedCriteria): boolean => date !== undefined && date < TODAY;

function filtersOf(criteria: FeedCriteria, put: (value: unknown) => string): string[] {
  const { adType, city, category, sub_category, point, localOnly } = criteria;
  const filters = Object.entries({ ad_type: adType, city, category, sub_category }).flatMap(
    ([column, value]) => (value === undefined ? [] : [`${column} = ${put(value)}`]),
  );
  if (!point || !localOnly) return filters;
  const here = `${put(cubeOf(point.lat, point.lon))}::cube`;
  const chord = `${put(RADIUS_CHORD)}::float8`;
  return [...filters, `cube_enlarge(${here}, ${chord}, 3) @> position`, `position <-> ${here} <= ${chord}`];
}

function dateFiltersOf(criteria: FeedCriteria, put: (value: unknown) => string): string[] {
  const dates = requestedDates(criteria);
  if (dates.length === 0) return [];
  return isPast(criteria) ? ['false'] : [`open_dates @> ${put(dates)}::date[]`];
}

const whereOf = (conditions: string[]): string =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';

/** The dates from `date` to `dateTo`, or none. */
export function requestedDates({ date, dateTo = date }: FeedCriteria): string[] {
  const dates: string[] = [];
  if (date === undefined || dateTo === undefined) return dates;
  for (let day = date; day <= dateTo; day = addDays(day, 1)) dates.push(day);
  return dates;
}

/**
 * The superuser of the bench's PostgreSQL, which accepts connections from this machine without a password.
 */
export const OWNER = 'bench';
/**
 * A request runs up to three statements at the same time. With more connections, they only share two cores.
 */
const CONNECTIONS = 8;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * PostgreSQL would otherwise plan a prepared statement without its values. For `open_dates @> $1`, it then
 * assumes that few items match, and reads all of them instead of the first ones in the order.
 */
const OPTIONS = '-c plan_cache_mode=force_custom_plan';

/** A pool of connections to the PostgreSQL on this port of this machine. */
export function postgresPool(port: number): pg.Pool {
  const pool = new pg.Pool({
    host: '127.0.0.1',
    port,
    user: OWNER,
    database: 'postgres',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 0,
    options: OPTIONS,
  });
  // The server closes idle sessions when it stops.
  pool.on('error', () => undefined);
  return pool;
}
