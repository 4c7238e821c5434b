/** The counts in one response of a feed. */
export interface FeedGlance {
  total: number;
  /** `meta.generatedAt` in epoch milliseconds. */
  generatedAt: number;
}

const TIMEOUT_MS = 3_000;

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
