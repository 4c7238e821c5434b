import type pg from 'pg';
import { toItem } from '../oracle/item.ts';

/** A listing as the public export must contain it. */
export type FeedItem = Record<string, unknown>;

interface Row {
  id: string;
  kind: string;
  deleted: boolean;
  title: string | null;
  body_html: string | null;
  category: string | null;
  sub_category: string | null;
  price: number | null;
  city: string | null;
  state: string | null;
  latitude: number | null;
  longitude: number | null;
  host: string | null;
  handle: string | null;
  slug: string | null;
  external_url: string | null;
  published_ms: number;
  images: string[] | null;
  stars: number[] | null;
  days: { day: string; open: boolean; price: number | null }[] | null;
}

const AD_TYPES: Record<string, string> = { SALE: 'sale', RENTAL: 'rent', SERVICE: 'service' };

/** Reads the tables themselves, not the view from which the relay publishes. */
const QUERY = `
  SELECT to_json(found) AS row FROM (
    SELECT id, kind, deleted_at IS NOT NULL AS deleted, title, body_html, category, sub_category, price, city, state,
      latitude, longitude, slug, external_url,
      (SELECT display_name FROM hosts WHERE hosts.id = host_id) AS host,
      (SELECT handle FROM hosts WHERE hosts.id = host_id) AS handle,
      round(extract(epoch FROM published_at) * 1000) AS published_ms,
      (SELECT array_agg(url ORDER BY position) FROM images WHERE listing_id = listings.id) AS images,
      (SELECT array_agg(stars) FROM reviews WHERE listing_id = listings.id) AS stars,
      (SELECT json_agg(json_build_object('day', day, 'open', open, 'price', price) ORDER BY day)
        FROM calendar WHERE listing_id = listings.id) AS days
    FROM listings
  ) AS found`;

/** The items that the feed must contain, by id, according to the database and docs/reference/rules.md. */
export async function databaseItems(pool: pg.Pool): Promise<Map<string, FeedItem>> {
  const { rows } = await pool.query<{ row: Row }>(QUERY);
  const items = new Map<string, FeedItem>();
  for (const { row } of rows) {
    const item = row.deleted ? undefined : itemOf(row);
    if (item) items.set(row.id, item);
  }
  return items;
}

function itemOf(row: Row): FeedItem | undefined {
  const { stars } = row;
  const fields = {
    title: row.title,
    description: row.body_html,
    category: row.category,
    sub_category: row.sub_category,
    price: row.price,
    location: { city: row.city, state: row.state, lat: row.latitude, lng: row.longitude },
    provider: { name: row.host, slug: row.handle },
    rating: stars && Math.round((10 * stars.reduce((sum, one) => sum + one, 0)) / stars.length) / 10,
    review_count: stars?.length ?? 0,
    images: row.images,
    url:
      row.external_url ?? (row.slug && `https://www.vitrine.example/anuncio/${encodeURIComponent(row.slug)}`),
  };
  const calendar = (row.days ?? []).flatMap(({ day, open, price }) =>
    price !== null && price < 0 ? [] : [{ date: day, available: open, price }],
  );
  const item = toItem(row.id, { removed: 0n, fields, calendar, firstTime: row.published_ms });
  if (typeof item === 'string') return undefined;
  return {
    ...item.feed_item,
    ad_type: AD_TYPES[row.kind],
    published_at: new Date(row.published_ms).toISOString(),
    availability: item.calendar,
  };
}
