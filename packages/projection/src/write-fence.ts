import { FENCE_HOLDS_MS } from './limits.ts';
import { elapsed, type Moment, systemClock } from './store/elapsed-time.ts';
import { ElasticsearchUnavailableError } from './store/elasticsearch-unavailable.ts';

/**
 * Returns a function to call before each item write.
 * @throws ElasticsearchUnavailableError if too much time has passed since `startedAt`
 */
export const fenceFrom = (startedAt: Moment) => () => {
  if (elapsed(startedAt, systemClock()) > FENCE_HOLDS_MS)
    throw new ElasticsearchUnavailableError(
      'too much time passed between the writes of a state and its item, or the process was suspended',
    );
};
