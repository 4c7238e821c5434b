export { type BulkEntry, bulkLimit, writeBulk } from './bulk-writer.ts';
export { changeEntry, detailsOf, liftEntries, takeOverDeletions, touchEntries } from './change-entries.ts';
export { type Clock, elapsed, type Moment, systemClock } from './elapsed-time.ts';
export {
  ElasticsearchUnavailableError,
  isTooLarge,
  retryWhileElasticsearchUnavailable,
} from './elasticsearch-unavailable.ts';
export { multiGet, readCheckpoint, refresh, type ShardCheckpoint } from './index-requests.ts';
export { itemEntry } from './item-entry.ts';
export { assertScansAllowed, ClusterSettingError, snapshotPages } from './snapshot-pages.ts';
export { countStates, type ScannedState, type StatePage, scanShard, shardsOf } from './state-scan.ts';
export type { StateDocument } from './state-store.ts';
