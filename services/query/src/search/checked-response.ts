import type { estypes } from '@elastic/elasticsearch';
import { FeedUnavailable } from './search-failure.ts';

/*
 * Every Elasticsearch response with status 200 passes through this file before the service trusts it. Without
 * these checks, a damaged response, or one from a proxy, would look like an empty feed, removed items or lost
 * changes.
 */

type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a response.
 * @param what names the request in the message for the operator
 * @throws FeedUnavailable if `read` throws, because the response is damaged
 */
export function readResponse<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FeedUnavailable) throw error;
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new FeedUnavailable(`Elasticsearch's response to ${what} is damaged: ${reason}`, { cause: error });
  }
}

/** Returns a parsed response. @throws FeedUnavailable unless it is an object */
export function objectIn<T>(what: string, response: T): T {
  expectResponse(isObject(response), what, 'members');
  return response;
}

/** @throws FeedUnavailable if `isValid` is false */
export function expectResponse(isValid: boolean, what: string, expected: string): asserts isValid {
  if (!isValid)
    throw new FeedUnavailable(`Elasticsearch's response to ${what} is damaged: it has no ${expected}`);
}

/** Returns the id from the response to a request that opens a point in time. @throws FeedUnavailable */
export function pointInTimeOf(opened: unknown): string {
  const id = isObject(opened) ? opened['id'] : undefined;
  expectResponse(typeof id === 'string' && id !== '', 'the opening of a point in time', 'id');
  return id;
}

/** Returns whether the body of a 404 response says that an index is missing. A proxy can also return 404. */
export const isIndexMissing = (body: unknown): boolean =>
  isObject(body) && isObject(body['error']) && body['error']['type'] === 'index_not_found_exception';

const SEARCH = 'a search';

/**
 * Checks that a response has what its search requested. The responses to failed and timed-out searches lack
 * some of these parts, so the caller must first refuse these responses.
 * @throws FeedUnavailable
 */
export function checkSearchResponse<Document, Aggregations>(
  request: estypes.SearchRequest,
  { hits, aggregations }: estypes.SearchResponse<Document, Aggregations>,
): void {
  const { track_total_hits, sort, _source, docvalue_fields, aggs } = request;
  const { total } = hits;
  if (track_total_hits !== false)
    expectResponse(typeof (isObject(total) ? total['value'] : total) === 'number', SEARCH, 'total');
  for (const hit of hits.hits) {
    if (_source !== false) expectResponse(hit._source !== undefined, SEARCH, 'document');
    if (sort !== undefined) expectResponse(Array.isArray(hit.sort), SEARCH, 'sort values');
    if (docvalue_fields !== undefined) expectResponse(isObject(hit.fields), SEARCH, 'fields');
  }
  if (aggs) checkAggregations(aggs, aggregations);
}

/** @throws FeedUnavailable unless a response has the members that every response from `_search` has */
export function checkSearchStatus(
  response: unknown,
): asserts response is Pick<estypes.SearchResponse, 'timed_out' | '_shards'> {
  expectResponse(isObject(response), SEARCH, 'members');
  const { timed_out, _shards } = response;
  expectResponse(typeof timed_out === 'boolean', SEARCH, 'timed_out');
  expectResponse(isObject(_shards) && typeof _shards['failed'] === 'number', SEARCH, '_shards');
}

/** The values of aggregations that have no buckets. */
const METRICS: Readonly<Record<string, readonly string[]>> = {
  min: ['value'],
  max: ['value'],
  cardinality: ['value'],
  stats: ['min', 'max'],
  percentiles: ['values'],
};

function checkAggregations(
  requested: Record<string, estypes.AggregationsAggregationContainer>,
  counted: unknown,
): void {
  for (const [name, { aggs = {}, ...kinds }] of Object.entries(requested)) {
    const result = isObject(counted) ? counted[name] : undefined;
    expectResponse(isObject(result), SEARCH, `aggregation ${name}`);
    const [kind = ''] = Object.keys(kinds);
    const values = METRICS[kind];
    if (values) for (const value of values) expectResponse(value in result, SEARCH, `${value} of ${name}`);
    else if (kind === 'nested') checkAggregations(aggs, result);
    else checkBuckets(name, aggs, result['buckets']);
  }
}

function checkBuckets(
  name: string,
  aggs: Record<string, estypes.AggregationsAggregationContainer>,
  buckets: unknown,
): void {
  expectResponse(typeof buckets === 'object' && buckets !== null, SEARCH, `buckets of ${name}`);
  for (const bucket of Object.values(buckets)) {
    expectResponse(isObject(bucket) && Number.isInteger(bucket['doc_count']), SEARCH, `counts of ${name}`);
    checkAggregations(aggs, bucket);
  }
}
