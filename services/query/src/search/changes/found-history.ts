import type { estypes } from '@elastic/elasticsearch';
import { type ChangesHistory, EMPTY_HISTORY, type HistoryDocument } from '@vitrine/feed-index';
import { expectResponse, isIndexMissing, isObject } from '../checked-response.ts';

/**
 * Reads the response to a look-up of the history.
 * @throws FeedUnavailable if the response does not come from Elasticsearch
 */
export function historyOf(statusCode: number, body: estypes.GetGetResult<HistoryDocument>): ChangesHistory {
  const what = 'the look-up of the history';
  if (statusCode === 404) {
    expectResponse(isIndexMissing(body) || (isObject(body) && body.found === false), what, 'reason');
    return EMPTY_HISTORY;
  }
  const history: unknown = isObject(body) ? body._source?.history : undefined;
  expectResponse(isObject(history) && Array.isArray(history['transitions']), what, 'history');
  return history as unknown as ChangesHistory;
}
