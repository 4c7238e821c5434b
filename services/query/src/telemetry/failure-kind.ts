import { Abandoned } from '../cache/single-flight.ts';
import { FeedUnavailable } from '../search/search-failure.ts';
import { Overloaded } from '../search/search-limiter.ts';

/**
 * The reason why a page cannot be made. `outage`: Elasticsearch returns no complete response in time.
 * `overload`: the service is at capacity. `fault`: an error in the service itself.
 */
export type FailureKind = 'outage' | 'overload' | 'fault';

/** The kind of any error that is not a refusal of the request. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof FeedUnavailable || error instanceof Abandoned) return 'outage';
  return error instanceof Overloaded ? 'overload' : 'fault';
}
