import { createHash } from 'node:crypto';
import { addDays } from '@vitrine/fixtures';
import { type FeedCriteria, neighboringDates } from '@vitrine/query';
import { TODAY } from '../dataset.ts';
import { type PostgresItem, type PostgresPage, requestedDates } from './postgres-queries.ts';

/** The default of AVAILABILITY_HORIZON_DAYS. */
const HORIZON_DAYS = 90;
const CENTS = 100;

/**
 * Creates the query service's response from a page that PostgreSQL found: the same JSON with the same entity
 * tag, which ignores `generatedAt`.
 */
export function feedResponse(criteria: FeedCriteria, found: PostgresPage): { body: Buffer; etag: string } {
  const { feed, adType, page, pageSize, date } = criteria;
  const { total } = found;
  const items = `{"data":[${found.items.map((item) => itemOf(item, criteria)).join(',')}],"meta":`;
  const meta = {
    page,
    pageSize,
    pageCount: Math.ceil(total / pageSize),
    total,
    endpoint: adType ? `${feed}/${adType}` : feed,
    ...(feed === 'ai-feed' && date !== undefined && { availability: availabilityOf(criteria, found) }),
  };
  const etag = createHash('sha256').update(items).update(JSON.stringify(meta)).digest('base64url');
  const complete = JSON.stringify({ ...meta, generatedAt: new Date().toISOString() });
  return { body: Buffer.from(`${items}${complete}}`), etag: `W/"${etag}"` };
}

function itemOf({ feedItem, cents, calendar }: PostgresItem, criteria: FeedCriteria): string {
  if (criteria.feed === 'public-feed') return feedItem;
  const availability = cents ? openDates(requestedDates(criteria), cents) : horizonOf(calendar ?? '[]');
  return `${feedItem.slice(0, -1)},"availability":${JSON.stringify(availability)}}`;
}

/** A found item is available on every requested date. */
const openDates = (dates: string[], cents: number[]): object[] =>
  dates.map((date, i) => ({ date, available: true, price: (cents[i] ?? 0) / CENTS }));

function horizonOf(calendar: string): object[] {
  const last = addDays(TODAY, HORIZON_DAYS - 1);
  return (JSON.parse(calendar) as { date: string }[]).filter(({ date }) => date >= TODAY && date <= last);
}

function availabilityOf(criteria: FeedCriteria, { offers }: PostgresPage): object[] {
  const byDate = new Map(offers.map((offer) => [offer.date, offer]));
  return neighboringDates(criteria, TODAY).map((date) => {
    const offer = byDate.get(date);
    if (!offer) return { date, items: 0 };
    return { date, items: offer.items, min_price: offer.minPrice, max_price: offer.maxPrice };
  });
}
