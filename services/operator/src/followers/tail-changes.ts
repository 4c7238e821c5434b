import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChangesPage,
  type FeedClient,
  FeedUnavailableError,
  type FollowedChange,
} from './feed-client.ts';

export interface TailOptions {
  /**
   * The change number after which to begin. If it is undefined, the changes begin at most half a minute
   * before now.
   */
  after: number | undefined;
  onChange: (change: FollowedChange) => void;
  /** Receives the reason when the service stops responding. */
  onOutage: (reason: string) => void;
  signal: AbortSignal;
  pollEveryMs?: number;
}

const POLL_EVERY_MS = 1_000;
const PAGE_LIMIT = 500;

/**
 * Follows the changes until the signal aborts. Survives restarts of the service, but not a failure of the
 * first request.
 * @throws ChangesExpiredError; FeedUnavailableError if the service does not respond to the first request
 */
export async function tailChanges(
  client: Pick<FeedClient, 'changes' | 'currentChange'>,
  { after, onChange, onOutage, signal, pollEveryMs = POLL_EVERY_MS }: TailOptions,
): Promise<void> {
  let hasResponded = false;
  let isOutage = false;
  /** Repeats a request while the service is unavailable. Returns undefined after an abort. */
  const request = async <T>(send: () => Promise<T>): Promise<T | undefined> => {
    while (!signal.aborted)
      try {
        const result = await send();
        hasResponded = true;
        isOutage = false;
        return result;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof FeedUnavailableError) || !(hasResponded || error.hasResponded)) throw error;
        if (!isOutage) onOutage(error.message);
        isOutage = true;
        await sleepUnlessAborted(error.retryAfterMs, signal);
      }
    return undefined;
  };

  let position = after ?? (await request(() => client.currentChange()));
  while (position !== undefined) {
    const from: number = position;
    const page: ChangesPage | undefined = await request(() => client.changes(from, PAGE_LIMIT));
    for (const change of page?.items ?? []) onChange(change);
    if (page?.items.length === 0) await sleepUnlessAborted(pollEveryMs, signal);
    position = page?.next;
  }
}

const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
