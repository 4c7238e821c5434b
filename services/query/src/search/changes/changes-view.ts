import type { ChangesHistory, LiveChanges } from '@vitrine/feed-index';
import { FeedUnavailable, PointInTimeLost } from '../search-failure.ts';
import type { ChangesClient } from './changes-client.ts';

/** The live generation has no changes index, because an earlier release built the generation. */
export class ChangesMissing extends FeedUnavailable {
  constructor() {
    super('the live generation has no changes index; `replay` and `switch` create one');
    this.name = 'ChangesMissing';
  }
}

/**
 * The state of the changes that all pages within one second share, or all pages within a longer time if the
 * next view opens slowly.
 */
export interface ChangesView {
  /** The time at which the service began to open the view, in milliseconds of `performance.now()`. */
  openedAt: number;
  live: LiveChanges;
  history: ChangesHistory;
  /** Every entry of the live changes index up to this sequence number is on every in-sync copy. */
  checkpoint: number;
  /**
   * Returns a point in time of a generation's changes index, or undefined if the index does not exist. The
   * point in time of the live index shows all entries up to `checkpoint`.
   */
  pointInTime(generation: number): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a view. The order is essential:
 * - The live epoch is read before the history, so the history contains the transition to it.
 * - The checkpoint is read before the refresh, and the refresh comes before the point in time. So the point
 *   in time shows every entry up to the checkpoint (docs/guide/changes.md).
 * The history is read during these requests, because each sequential request adds the whole delay of a slow
 * Elasticsearch.
 * @throws ChangesMissing, FeedUnavailable, PointInTimeLost
 */
export async function openChangesView(client: ChangesClient): Promise<ChangesView> {
  // The clock is read first, so the view's age is never understated.
  const openedAt = performance.now();
  const live = await client.live();
  if (!live) throw new ChangesMissing();
  const opened = new Map<number, Promise<string | undefined>>();
  const pointInTime = (generation: number): Promise<string | undefined> => {
    const known = opened.get(generation);
    if (known) return known;
    const opening = client
      .refresh(generation)
      .then((exists) => (exists ? client.openChanges(generation) : undefined));
    // The reader that awaits the point in time receives the error. A later reader tries again.
    opening.catch(() => opened.delete(generation));
    opened.set(generation, opening);
    return opening;
  };
  const close = async (): Promise<void> => {
    const ids = await Promise.allSettled(opened.values());
    await Promise.allSettled(
      ids.flatMap((result) =>
        result.status === 'fulfilled' && result.value ? [client.close(result.value)] : [],
      ),
    );
  };
  const readingHistory = client.history();
  const readingCheckpoint = client.checkpoint(live.generation).then(async (number) => {
    if ((await pointInTime(live.generation)) === undefined)
      throw new PointInTimeLost('the live changes index does not exist');
    return number;
  });
  try {
    const [history, checkpoint] = await Promise.all([readingHistory, readingCheckpoint]);
    return { openedAt, live, history, checkpoint, pointInTime, close };
  } catch (error) {
    // No reader uses a point in time that opens after the failure, so the view closes it.
    void Promise.allSettled([readingCheckpoint]).then(close);
    throw error;
  }
}
