export { type BulkEntry, MAX_BULK_BYTES, writeBulk } from './bulk-writer.ts';
export { type Clock, elapsed, type Moment, systemClock } from './elapsed-time.ts';
export { itemEntry } from './item-entry.ts';
export { refresh } from './refresh.ts';
export { retryWhileUnavailable } from './retry-while-unavailable.ts';
export { snapshotPages } from './snapshot-pages.ts';
export type { StateDocument } from './state-document.ts';
export { countStates, type ScannedState, type StatePage, scanShard, shardsOf } from './state-scan.ts';
