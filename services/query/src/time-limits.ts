/** The maximum durations of the parts of a response, in milliseconds. */
export interface TimeLimits {
  /** A request to Elasticsearch. */
  elasticsearch: number;
  /** A page of a feed, or a call of a tool, regardless of Elasticsearch's behavior. */
  response: number;
  /** A page of changes. */
  changes: number;
}

export const TIME_LIMITS: TimeLimits = {
  elasticsearch: 5_000,
  response: 8_000,
  // A page of changes needs up to six requests in a row, so a slow Elasticsearch delays it more than it delays
  // other pages.
  changes: 15_000,
};
