import { type FeedCriteria, neighboringDates } from '@vitrine/query';
import type pg from 'pg';
import { dayAfterToday, TODAY } from '../dataset.ts';

export interface PostgresPage {
  total: number;
  /** The served JSON of the items. */
  items: string[];
  /** The rows of `meta.availability`. */
  offers: { date: string; items: number }[];
}

interface Statement {
  text: string;
  values: unknown[];
}

const RADIUS_METERS = 50_000;

/**
 * Reads the service's response from PostgreSQL: the page, the exact total and, for the agent feed with a
 * date, the offers of the neighboring dates. The statements run concurrently on a pool, which is fastest for
 * a single request.
 */
export async function postgresPage(pool: pg.Pool, criteria: FeedCriteria): Promise<PostgresPage> {
  const offers = offersByDate(criteria);
  const [page, count, dates] = await Promise.all([
    pool.query<{ feed_item: string; calendar?: string }>(pageStatement(criteria)),
    pool.query<{ total: string }>(countStatement(criteria)),
    offers && pool.query<{ date: string; items: string }>(offers),
  ]);
  return {
    total: Number(count.rows[0]?.total),
    items: page.rows.map(({ feed_item }) => feed_item),
    offers: dates?.rows.map(({ date, items }) => ({ date, items: Number(items) })) ?? [],
  };
}

/** Collects the values of a statement and returns a placeholder for each. */
function parameters(): { values: unknown[]; put: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, put: (value) => `$${values.push(value)}` };
}

function pageStatement(criteria: FeedCriteria): Statement {
  const { values, put } = parameters();
  const { feed, page = 1, pageSize, point } = criteria;
  const where = conditions(criteria, put);
  // If `id` followed the distance, PostgreSQL 15 would sort all items instead of using its index.
  const order = point
    ? `position <-> ll_to_earth(${put(point.lat)}, ${put(point.lon)})`
    : 'published_at DESC, id';
  const served = feed === 'ai-feed' ? 'feed_item, calendar' : 'feed_item';
  const text =
    `SELECT ${served} FROM items i ${where} ORDER BY ${order} LIMIT ${put(pageSize)} OFFSET ` +
    `${put((page - 1) * pageSize)}`;
  return { text, values };
}

function countStatement(criteria: FeedCriteria): Statement {
  const { values, put } = parameters();
  const { city, category, date, dateTo = date, point } = criteria;
  // If dates are the only filter, the index of the offers suffices.
  if (date !== undefined && city === undefined && category === undefined && point === undefined) {
    const [first, ...others] = daysBetween(date, dateTo);
    const where = [`i.date = ${put(first)}`, ...others.map((day) => offered(day, 'i.item', put))];
    return { text: `SELECT count(*) AS total FROM offers i WHERE ${where.join(' AND ')}`, values };
  }
  const where = conditions(criteria, put);
  return { text: `SELECT count(*) AS total FROM items i ${where}`, values };
}

function conditions(
  { city, category, date, dateTo = date, point, localOnly }: FeedCriteria,
  put: (value: unknown) => string,
): string {
  const all: string[] = [];
  if (city !== undefined) all.push(`city = ${put(city)}`);
  if (category !== undefined) all.push(`category = ${put(category)}`);
  if (point && localOnly) {
    const here = `ll_to_earth(${put(point.lat)}, ${put(point.lon)})`;
    all.push(
      `earth_box(${here}, ${RADIUS_METERS}) @> position AND earth_distance(${here}, position) <= ` +
        `${RADIUS_METERS}`,
    );
  }
  for (const day of daysBetween(date, dateTo)) all.push(offered(day, 'i.key', put));
  return all.length > 0 ? `WHERE ${all.join(' AND ')}` : '';
}

const offered = (day: string, item: string, put: (value: unknown) => string): string =>
  `EXISTS (SELECT FROM offers o WHERE o.item = ${item} AND o.date = ${put(day)})`;

function offersByDate(criteria: FeedCriteria): Statement | undefined {
  const dates = neighboringDates(criteria, TODAY);
  if (dates.length === 0) return undefined;
  const { values, put } = parameters();
  const { city } = criteria;
  const items = city === undefined ? '' : `JOIN items i ON i.key = o.item AND i.city = ${put(city)}`;
  const figures =
    "to_char(o.date, 'YYYY-MM-DD') AS date, count(*) AS items, min(o.price) AS min_price, max(o.price) AS " +
    'max_price';
  return {
    text: `SELECT ${figures} FROM offers o ${items} WHERE o.date = ANY(${put(dates)}::date[]) GROUP BY o.date`,
    values,
  };
}

function daysBetween(first: string | undefined, last: string | undefined): string[] {
  if (first === undefined || last === undefined) return [];
  const days: string[] = [];
  for (let number = 0, day = TODAY; day <= last; day = dayAfterToday(++number))
    if (day >= first) days.push(day);
  return days;
}
