interface Amount {
  amount: number;
}

/** A listing as the query service's UCP catalog returns it (docs/reference/ucp.md). */
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

/** The members of a feed item that the first page shows. */
export interface FeedItem {
  id: string;
  title: string;
  price: number;
  images?: readonly string[];
  location: { city: string; state?: string };
}

const TIMEOUT_MS = 10_000;
/** More than a feed page needs, because a page's items have at most 8 MiB (docs/reference/rules.md). */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads a listing from the query service. The listing's page therefore shows what the feed contains.
 * @param feedsUrl base URL of the feeds, without a trailing slash
 * @returns undefined if the feed does not contain the listing
 * @throws Error if the query service does not respond, or responds with 429 or 5xx
 */
export async function readProduct(feedsUrl: string, id: string): Promise<Product | undefined> {
  const { product } = await read<{ product?: Product }>(new URL('/ucp/catalog/product', feedsUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ id }),
  });
  return product;
}

/** Reads the newest listings. @throws Error as `readProduct` */
export async function readNewest(feedsUrl: string, count: number): Promise<readonly FeedItem[]> {
  const url = new URL(`${feedsUrl}/public-feed?pageSize=${count}`);
  return (await read<{ data: readonly FeedItem[] }>(url)).data;
}

async function read<T>(url: URL, init: RequestInit = {}): Promise<T> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { status } = response;
  if (status === 429 || status >= 500) throw new Error(`the query service responds with ${status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString()) as T;
}
