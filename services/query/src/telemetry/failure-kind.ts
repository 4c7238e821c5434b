import { Abandoned } from '../cache/single-flight.ts';
import { FeedUnavailable } from '../search/search-failure.ts';
import { Overloaded } from '../search/search-limiter.ts';

/**
 * The reason why the service cannot make a page. `outage`: Elasticsearch returns no complete response in
 * time. `overload`: the service is at capacity. `fault`: an error in the service itself.
 */
export type FailureKind = 'outage' | 'overload' | 'fault';

/** Returns the kind of an error that is not a refusal of the request. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof FeedUnavailable || error instanceof Abandoned) return 'outage';
  return error instanceof Overloaded ? 'overload' : 'fault';
}
