import { FILTERS } from '@vitrine/feed-index/filters';
import { MAX_IDS } from './agents/argument-schemas.ts';
import { MAX_TOKENS } from './agents/token-budget.ts';
import { FOUND_BYTES } from './budget/request-budget.ts';
import { DEFAULT_CHANGES_LIMIT, MAX_CHANGES_LIMIT } from './contract/changes-parameters.ts';
import { FeedParameters } from './contract/feed-parameters.ts';
import { MAX_URL_BYTES } from './contract/operations.ts';
import { MAX_RANGE_DAYS } from './filters/dates.ts';
import { MAX_LIST_VALUES } from './filters/filter.ts';
import { DEFAULT_LIMITS } from './http/http-server.ts';
import type { Limits } from './http/pages/docs-routes.ts';
import { CHANGES_FRESH_SECONDS } from './http/read-changes.ts';
import { RETRY_AFTER_SECONDS } from './http/request-outcome.ts';
import { EXPORT_PACE } from './http/send-export.ts';
import { MAX_BODY_BYTES } from './http/ucp-routes.ts';
import { MAX_MESSAGE_BYTES } from './mcp/json-rpc.ts';
import { NEIGHBORING_DAYS } from './request/criteria.ts';
import { MAX_WINDOW_DAYS } from './request/stay-window.ts';
import type { QuerySettings } from './settings.ts';

const KIB = 1024;
const { pageSize } = FeedParameters.properties as Record<string, { default?: number; maximum?: number }>;

/**
 * Returns the limits that the documentation states, keyed by the names in their placeholders, such as
 * `%N:rateLimit%`. An undefined value means that there is no such limit.
 */
export const documentedLimits = (settings: QuerySettings): Limits => ({
  defaultPageItems: pageSize?.default,
  pageItems: pageSize?.maximum,
  pageMiB: FOUND_BYTES / KIB ** 2,
  listValues: MAX_LIST_VALUES,
  rangeDates: MAX_RANGE_DAYS,
  windowDates: MAX_WINDOW_DAYS,
  neighborDays: NEIGHBORING_DAYS,
  nights: FILTERS.nights.maximum,
  horizonDates: settings.availabilityHorizonDays,
  localRadiusKm: settings.localRadiusKm,
  urlBytes: MAX_URL_BYTES,
  headerBytes: DEFAULT_LIMITS.maxHeaderSize,
  rateLimit: settings.rateLimit,
  retrySeconds: RETRY_AFTER_SECONDS,
  requestSeconds: DEFAULT_LIMITS.requestTimeout / 1_000,
  deliverySeconds: DEFAULT_LIMITS.deliveryTimeout / 1_000,
  keepAliveSeconds: settings.keepAliveSeconds,
  pipelined: DEFAULT_LIMITS.maxPipelined,
  connectionRequests: DEFAULT_LIMITS.maxRequestsPerSocket,
  defaultChanges: DEFAULT_CHANGES_LIMIT,
  changes: MAX_CHANGES_LIMIT,
  exports: settings.exportConcurrency,
  exportKiB: EXPORT_PACE.minBytes / (EXPORT_PACE.stallMs / 1_000) / KIB,
  exportStallSeconds: EXPORT_PACE.stallMs / 1_000,
  mcpKiB: MAX_MESSAGE_BYTES / KIB,
  ucpKiB: MAX_BODY_BYTES / KIB,
  answerTokens: MAX_TOKENS,
  ids: MAX_IDS,
  freshSeconds: settings.cacheFreshSeconds,
  staleSeconds: settings.cacheStaleSeconds,
  changesFreshSeconds: CHANGES_FRESH_SECONDS,
});
