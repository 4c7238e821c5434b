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
