/** An amount in centavos. */
interface Amount {
  amount: number;
}

/** A listing as the UCP catalog of the query service returns it (docs/reference/ucp.md). */
export interface Product {
  id: string;
  title: string;
  description?: { plain?: string };
  categories?: readonly { value: string }[];
  price_range: { min: Amount };
  media?: readonly { url: string }[];
  variants: readonly { seller?: { name: string } }[];
  rating?: { value: number; count?: number };
  metadata: {
    ad_type?: string;
    location: { city: string; state?: string };
    calendar?: readonly { from: string; to: string; available: boolean; price: Amount }[];
  };
}

/** An item of the feed, as far as the first page shows it. */
export interface FeedItem {
  id: string;
  title: string;
  price: number;
  images?: readonly string[];
  location: { city: string; state?: string };
}

const TIMEOUT_MS = 10_000;

/**
 * Reads a listing from the query service, so that its page shows what the feed has.
 * @param feedsUrl base URL of the feeds, without a trailing slash
 * @returns undefined if the feed does not contain the listing
 * @throws Error if the query service does not answer
 */
export async function readProduct(feedsUrl: string, id: string): Promise<Product | undefined> {
  const response = await fetch(new URL('/ucp/catalog/product', feedsUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ id }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 429 || response.status >= 500)
    throw new Error(`the query service responds with ${response.status}`);
  const { product } = (await response.json()) as { product?: Product };
  return product;
}

/** Reads the newest listings. @throws Error if the query service does not answer */
export async function readNewest(feedsUrl: string, count: number): Promise<readonly FeedItem[]> {
  const response = await fetch(`${feedsUrl}/public-feed?pageSize=${count}`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the query service responds with ${response.status}`);
  return ((await response.json()) as { data: readonly FeedItem[] }).data;
}
