import type pg from 'pg';
import { toItem } from '../oracle/item.ts';
import type { FeedItem } from './database-items.ts';

interface Row {
  id: string;
  ad_type: string | null;
  title: string | null;
  description: string | null;
  category: string | null;
  sub_category: string | null;
  price: number | 'NaN' | null;
  city: string | null;
  state: string | null;
  lat: number | null;
  lng: number | null;
  provider_name: string | null;
  provider_slug: string | null;
  rating: number | null;
  review_count: number | null;
  images: string[] | null;
  url: string | null;
  published_ms: number;
  days: { day: string; available: boolean; price: number | null }[] | null;
}

const QUERY = `
  SELECT to_json(found) AS row FROM (
    SELECT *, round(extract(epoch FROM published_at) * 1000) AS published_ms,
      (SELECT json_agg(json_build_object('day', day, 'available', available, 'price', price) ORDER BY day)
        FROM calendar WHERE listing_id = listings.id) AS days
    FROM listings WHERE deleted_at IS NULL
  ) AS found`;

/**
 * Remembers the deleted days of listings. No event deletes a single date, so the mapping of rows makes a deleted
 * day unavailable (docs/start/ingest.md).
 */
export const REMEMBER_DELETED_DAYS = `
CREATE TABLE deleted_days (listing_id text, day date, PRIMARY KEY (listing_id, day));
CREATE FUNCTION remember_deleted_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'listings' THEN
    DELETE FROM deleted_days WHERE listing_id = OLD.id;
  ELSIF TG_OP = 'INSERT' THEN
    DELETE FROM deleted_days WHERE listing_id = NEW.listing_id AND day = NEW.day;
  ELSE
    INSERT INTO deleted_days VALUES (OLD.listing_id, OLD.day) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER remember AFTER INSERT OR DELETE ON calendar FOR EACH ROW EXECUTE FUNCTION remember_deleted_day();
CREATE TRIGGER remember AFTER DELETE ON listings FOR EACH ROW EXECUTE FUNCTION remember_deleted_day();
`;

/**
 * Returns the items of a feed without the days that REMEMBER_DELETED_DAYS knows. Such a day may be unavailable. It
 * may also be absent, because the connector did not see it.
 */
export async function withoutDeletedDays(pool: pg.Pool): Promise<(item: FeedItem) => FeedItem> {
  const { rows } = await pool.query<{ listing_id: string; day: string }>(
    "SELECT listing_id, to_char(day, 'YYYY-MM-DD') AS day FROM deleted_days",
  );
  const deleted = new Set(rows.map((row) => `${row.listing_id} ${row.day}`));
  return (item) => ({
    ...item,
    availability: (item.availability as { date: string; available: boolean }[]).filter(
      ({ date, available }) => available || !deleted.has(`${item.id} ${date}`),
    ),
  });
}

/**
 * The items that the feed must contain, by id, according to the tables of SIMPLE_DATABASE_SCHEMA and
 * docs/reference/rules.md.
 */
export async function simpleDatabaseItems(pool: pg.Pool): Promise<Map<string, FeedItem>> {
  const { rows } = await pool.query<{ row: Row }>(QUERY);
  return new Map(
    rows.flatMap(({ row }) => {
      const item = itemOf(row);
      return item ? [[row.id, item] as const] : [];
    }),
  );
}

function itemOf(row: Row): FeedItem | undefined {
  const fields = {
    title: row.title,
    description: row.description,
    category: row.category,
    sub_category: row.sub_category,
    price: row.price === 'NaN' ? null : row.price,
    location: { city: row.city, state: row.state, lat: row.lat, lng: row.lng },
    provider: { name: row.provider_name, slug: row.provider_slug },
    rating: row.rating,
    review_count: row.review_count,
    images: row.images,
    url: row.url,
  };
  const calendar = (row.days ?? []).map(({ day, available, price }) => ({ date: day, available, price }));
  const item = toItem(row.id, { removed: 0n, fields, calendar, firstTime: row.published_ms });
  if (typeof item === 'string') return undefined;
  return {
    ...item.feed_item,
    ...(row.ad_type && { ad_type: row.ad_type }),
    published_at: new Date(row.published_ms).toISOString(),
    availability: item.calendar,
  };
}
