import type { Listing } from './fold.ts';
import { type IndexMembers, indexMembers } from './index-members.ts';
import { instant } from './record.ts';
import { slug, text } from './text.ts';
import { url } from './url.ts';

/**
 * An item in the form of the index: the feed item, the complete calendar, and the values for filters and
 * order.
 */
export interface OracleItem extends IndexMembers {
  id: string;
  published_at: number;
  ad_type?: unknown;
  city?: string | undefined;
  category?: string | undefined;
  sub_category?: string | undefined;
  point?: { lat: number; lon: number } | undefined;
  price: number;
  labels: { city: string; category?: string | undefined; sub_category?: string | undefined };
  title_words: string[];
  offers: { price: number; date: string[] }[];
  feed_item: Record<string, unknown>;
  calendar: { date: string; available: boolean; price: number }[];
}

type Members = Record<string, unknown> | null | undefined;

/** Derives a listing's item, or the first reason why the listing is hidden. */
export function toItem(id: string, { removed, fields, calendar, firstTime }: Listing): OracleItem | string {
  const location = fields.location as Members;
  const city = text(location?.city);
  const title = text(fields.title);
  const price = money(Number(fields.price ?? 0));
  const publicUrl = url(fields.url);
  if (removed > 0 && Object.keys(fields).length === 0 && calendar.length === 0) return 'removed';
  if (title === undefined) return 'title';
  if (price <= 0) return 'price';
  if (city === undefined) return 'location';
  if (publicUrl === undefined) return 'url';

  const dates = calendar.map((entry) => ({
    date: entry.date,
    available: entry.available,
    price: money(entry.price ?? 0) || price,
  }));
  const open = dates.filter(({ available }) => available);
  const offers = [...new Set(open.map((entry) => entry.price))].map((price) => ({
    price,
    date: open.filter((entry) => entry.price === price).map(({ date }) => date),
  }));
  const { lat, lng } = location ?? {};
  const rating = within(fields.rating, 0, 5);
  return present<OracleItem>({
    id,
    published_at: fields.published_at ? instant(fields.published_at as string) : (firstTime as number),
    ad_type: fields.ad_type ?? undefined,
    city: slug(location?.city),
    category: slug(fields.category),
    sub_category: slug(fields.sub_category),
    point: typeof lat === 'number' && typeof lng === 'number' ? { lat, lon: lng } : undefined,
    price,
    labels: present({
      city,
      category: slug(fields.category) && text(fields.category),
      sub_category: slug(fields.sub_category) && text(fields.sub_category),
    }),
    title_words: [...new Set(slug(fields.title)?.split('-') ?? [])]
      .filter((word) => word.length <= 64)
      .slice(0, 64),
    offers,
    ...indexMembers(location?.state, rating, dates),
    feed_item: present({
      id,
      title,
      description: text(fields.description),
      category: slug(fields.category),
      sub_category: slug(fields.sub_category),
      price,
      currency: 'BRL',
      location: present({ city, state: text(location?.state), country: 'BR' }),
      provider: provider(fields.provider as Members),
      rating,
      review_count: Number.isInteger(fields.review_count)
        ? within(fields.review_count, 0, 2 ** 31 - 1)
        : undefined,
      images: images(fields.images),
      url: publicUrl,
    }),
    calendar: dates,
  });
}

/** An amount in BRL with two decimals, rounded half up. */
export const money = (amount: number): number => Math.floor(amount * 100 + 0.5) / 100;

/** Omits absent members, because an item never contains null. */
const present = <T extends object>(members: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

function provider(raw: Members): object | undefined {
  const name = text(raw?.name);
  return name === undefined ? undefined : present({ name, slug: slug(raw?.slug) ?? slug(raw?.name) });
}

const within = (value: unknown, low: number, high: number): number | undefined =>
  typeof value === 'number' && value >= low && value <= high ? value : undefined;

function images(raw: unknown): string[] | undefined {
  const valid: string[] = [];
  for (const image of ((raw ?? []) as unknown[]).map(url))
    if (image !== undefined && !valid.includes(image)) valid.push(image);
  return valid.length > 0 ? valid : undefined;
}
