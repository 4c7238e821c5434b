import { setTimeout as sleep } from 'node:timers/promises';

/** The counts in one response of a feed. */
export interface FeedGlance {
  total: number;
  /** `meta.generatedAt` in epoch milliseconds. */
  generatedAt: number;
}

const TIMEOUT_MS = 3_000;
/** Maximum number of requests. The last 503 response is an error. */
const ATTEMPTS = 20;

/**
 * Requests the number of items in the public feed. Returns undefined if there is no valid response. Never
 * rejects.
 */
export async function glanceAtFeed(feedsUrl: string): Promise<FeedGlance | undefined> {
  try {
    const response = await fetch(`${feedsUrl}/public-feed?pageSize=1`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    const { meta } = (await response.json()) as { meta: { total: number; generatedAt: string } };
    return { total: meta.total, generatedAt: Date.parse(meta.generatedAt) };
  } catch {
    return undefined;
  }
}

/**
 * Reads JSON from the query service. Just after the start, the machine is busy. After a 503 response, the
 * function therefore waits as long as `Retry-After` says, and repeats the request.
 * @throws Error after any other failure status, after a 503 response without `Retry-After`, or after the last
 *   attempt; any error after an interruption
 */
export async function readJson<T>(url: string, signal: AbortSignal, attempts = ATTEMPTS): Promise<T> {
  const response = await fetch(url, { signal });
  if (response.ok) return (await response.json()) as T;
  await response.body?.cancel();
  const seconds = Number(response.headers.get('retry-after'));
  if (response.status !== 503 || !(seconds > 0) || attempts <= 1)
    throw new Error(`${url} responds with ${response.status}`);
  await sleep(1_000 * seconds, undefined, { signal });
  return readJson(url, signal, attempts - 1);
}

/** Whether the service with this admin port is ready. Never rejects. */
export async function isReady(adminPort: number): Promise<boolean> {
  try {
    const response = await fetch(`http://localhost:${adminPort}/health/ready`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
