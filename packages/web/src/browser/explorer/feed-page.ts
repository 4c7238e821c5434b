import type { Problem } from '../components/words/problem-text.ts';
import { ADDRESSES } from './addresses.ts';
import type { Availability, FeedItem } from './feed-item.ts';
import { requestPath, type SearchState } from './search-state.ts';

export type { Availability, FeedItem };

/** An entry of `meta.stays`. Both nights are included. */
interface StaySummary {
  from: string;
  to: string;
  items: number;
  min_total_price?: number;
  max_total_price?: number;
}

interface DateSummary {
  date: string;
  items: number;
  min_price?: number;
  max_price?: number;
}

export interface FeedBody {
  data: FeedItem[];
  meta: {
    page?: number;
    pageCount: number;
    total: number;
    nextCursor?: string;
    availability?: DateSummary[];
    stays?: StaySummary[];
    generatedAt: string;
  };
}

/** The facts about a response that its body does not contain. */
export interface Transfer {
  status: number;
  /** The time from the request to the complete body, in milliseconds. */
  milliseconds: number;
  /** The number of bytes in the decoded body. */
  bytes: number;
  /** The number of bytes that the network carried. It is undefined if the browser does not report it. */
  encodedBytes?: number;
  /** The seconds since the service created the page. The number is 0 for a new page. */
  age: number;
  cacheControl: string;
  rateLimit: string;
}

export type Answer = { transfer: Transfer; body: unknown } & (
  | { kind: 'page'; page: FeedBody }
  | { kind: 'problem'; problem: Problem }
);

/** Returns the absolute URL of the request for a state. */
export const requestUrl = (state: SearchState, pageSize?: number): string =>
  new URL(requestPath(state, pageSize), ADDRESSES.feeds).href;

/** Reads a JSON document. Rejects if the service does not respond with one. */
export async function readJson<T>(url: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as T;
}

/** Reads the only item on a page of one item. Rejects if the service does not respond with a page. */
export async function readOne(
  state: SearchState,
  signal: AbortSignal,
): Promise<{ total: number; price: number | undefined }> {
  const { data, meta } = await readJson<FeedBody>(requestUrl(state, 1), signal);
  return { total: meta.total, price: data[0]?.price };
}

/** Reads a feed page. Rejects if the service cannot be reached, or if the signal aborts. */
export async function readPage(url: string, signal: AbortSignal): Promise<Answer> {
  const started = performance.now();
  const response = await fetch(url, { signal });
  const text = await response.text();
  const milliseconds = performance.now() - started;
  const entry = performance.getEntriesByName(new URL(url).href).at(-1) as
    | PerformanceResourceTiming
    | undefined;
  const transfer: Transfer = {
    status: response.status,
    milliseconds,
    bytes: new TextEncoder().encode(text).length,
    ...(entry?.encodedBodySize && { encodedBytes: entry.encodedBodySize }),
    age: Number(response.headers.get('Age') ?? 0),
    cacheControl: response.headers.get('Cache-Control') ?? '',
    rateLimit: response.headers.get('RateLimit') ?? '',
  };
  const body = parsed(text);
  if (response.ok) return { kind: 'page', transfer, body, page: body as FeedBody };
  return { kind: 'problem', transfer, body, problem: problemOf(body, response) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A proxy's response may not be a problem document. */
const problemOf = (body: unknown, { status, statusText }: Response): Problem =>
  typeof body === 'object' && body !== null && 'title' in body
    ? (body as Problem)
    : { title: statusText || String(status), status };
