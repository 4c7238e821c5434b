import type { estypes } from '@elastic/elasticsearch';
import { clusterRefusal } from '@vitrine/feed-index';

/**
 * Elasticsearch is unreachable or too slow, does not have the feed's index, or returned only a part of the
 * result. This error is also thrown for an export when the service stops.
 */
export class FeedUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`could not search the feed: ${reason}`, options);
    this.name = 'FeedUnavailable';
  }
}

/**
 * The point in time is incomplete, because its context, an index or a shard is missing. A new point in time
 * may work immediately.
 */
export class PointInTimeLost extends FeedUnavailable {
  constructor(reason: string) {
    super(reason);
    this.name = 'PointInTimeLost';
  }
}

/**
 * The error types with which Elasticsearch 9.5 reports a lost point in time, found by measurement
 * (docs/decisions/0022-search-limiter.md).
 */
const LOST = new Set([
  'search_context_missing_exception',
  'index_not_found_exception',
  'no_shard_available_action_exception',
  'shard_not_found_exception',
  'node_not_connected_exception',
  'node_disconnected_exception',
]);
/** Types of errors with status 400 that report an index's state, not an error in the request. */
const STATES = new Set(['index_closed_exception']);

/** Maximum length of an error in a log line, in bytes. */
const MAX_REASON_BYTES = 500;
/** For failures that an operator must resolve, the first part of the reason by status. */
const DENIED: Record<number, string> = {
  401: "Elasticsearch rejected this service's credentials, ",
  403: "this service's credentials do not permit this search, ",
};

/** The structure of Elasticsearch's errors. */
interface Cause {
  type: string;
  root_cause: Cause[];
  failed_shards: { reason: Cause }[];
}

/**
 * Creates the error for a response from `_search` with a status other than 200.
 * @param body the received bytes, which may not be JSON, because a proxy may have responded
 * @returns FeedUnavailable or PointInTimeLost; another Error if the request itself was at fault
 */
export function refusedSearch(status: number, body: Buffer): Error {
  const reason = `${DENIED[status] ?? ''}${status}: ${body.toString('utf8', 0, MAX_REASON_BYTES)}`;
  const types = typesOf(readCause(body));
  if (types.some((type) => LOST.has(type))) return new PointInTimeLost(reason);
  const refusal = clusterRefusal(body.toString());
  if (refusal !== undefined) return new FeedUnavailable(refusal);
  // A proxy can also return 400, but without an Elasticsearch error type.
  if (status === 400 && types.length > 0 && !types.some((type) => STATES.has(type)))
    return new Error(`Elasticsearch rejected the search: ${reason}`);
  return new FeedUnavailable(reason);
}

/**
 * Creates the error for an incomplete response with status 200. Returns undefined if the response is
 * complete.
 */
export function incompleteSearch({
  timed_out,
  _shards,
}: Pick<estypes.SearchResponse, 'timed_out' | '_shards'>): FeedUnavailable | undefined {
  if (_shards.failed > 0) {
    const types = [...new Set((_shards.failures ?? []).flatMap(({ reason }) => typesOf(reason)))];
    const reason = `${_shards.failed} shards failed: ${types.join(', ') || 'for an unknown reason'}`;
    return types.some((type) => LOST.has(type)) ? new PointInTimeLost(reason) : new FeedUnavailable(reason);
  }
  return timed_out ? new FeedUnavailable('the search timed out') : undefined;
}

/** Creates the error for a request that received no complete response. */
export function unreachable(error: unknown): FeedUnavailable {
  return new FeedUnavailable(error instanceof Error ? error.message : 'unknown reason', { cause: error });
}

function readCause(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString()) as { error?: unknown } | null)?.error;
  } catch {
    return undefined;
  }
}

/**
 * Finds all error types in a cause, at any depth. JSON from a proxy may have another structure, which
 * contains no error type.
 */
function typesOf(cause: unknown): string[] {
  if (typeof cause !== 'object' || cause === null) return [];
  const { type, root_cause, failed_shards } = cause as Partial<Record<keyof Cause, unknown>>;
  const shards = listOf(failed_shards).map((shard) => (shard as { reason?: unknown } | null)?.reason);
  return [
    ...(typeof type === 'string' ? [type] : []),
    ...[...listOf(root_cause), ...shards].flatMap(typesOf),
  ];
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The items of a search exceed the memory limit of one page. */
export class PageTooLarge extends Error {
  /** Number of items that fit. */
  readonly items: number;
  readonly limit: number;

  constructor(items: number, limit: number) {
    super(`the items of the page exceed ${limit} bytes`);
    this.name = 'PageTooLarge';
    this.items = items;
    this.limit = limit;
  }
}
