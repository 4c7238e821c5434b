export type { OpenApi as OpenApiDocument, Reference, Response } from '@vitrine/web';
export { argumentSchemas } from './agents/argument-schemas.ts';
export { PROBLEM_TYPES, problemPages } from './contract/problem.ts';
export { serverCard } from './discovery/server-card.ts';
export {
  CHANGES_EXAMPLES,
  EXAMPLE_BASE,
  EXAMPLE_ENTRIES,
  EXAMPLE_ENTRY_TIME,
  EXPORT_EXAMPLE,
} from './docs/changes-examples.ts';
export { openApiDocument } from './docs/openapi.ts';
export { EXAMPLE_ITEMS, EXAMPLE_TODAY, FEED_EXAMPLES, problemExamples } from './docs/openapi-examples.ts';
export type { FeedCriteria } from './request/criteria.ts';
export { neighboringDates } from './request/criteria.ts';
export { readFeedRequest } from './request/feed-request.ts';
export { feedQuery } from './search/feed-query.ts';
export { type QueryService, startQueryService } from './service.ts';
export { TIME_LIMITS, type TimeLimits } from './time-limits.ts';
