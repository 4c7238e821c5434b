export { readChunks } from './chunks/batch-reader.ts';
export {
  type DeadLetter,
  LISTING_FAILED,
  OWN_HEADERS_BYTES,
  sendDeadLetters,
  toMessage,
} from './dead-letters/dead-letter.ts';
export { DeadLetterSink } from './dead-letters/dead-letter-sink.ts';
export { listingDeadLetter } from './dead-letters/listing-dead-letter.ts';
export { recordIdentity } from './dead-letters/record-identity.ts';
export { countListings } from './generations/count-listings.ts';
export { ensureFirstGeneration } from './generations/first-generation.ts';
export { prepareStart } from './generations/first-start.ts';
export {
  type GenerationConsumer,
  type GenerationConsumerOptions,
  groupOf,
  type ProjectorContext,
  startGenerationConsumer,
} from './generations/generation-consumer.ts';
export {
  checkIndices,
  createIndices,
  refreshAsLive,
  refreshForReaders,
  UnusableIndexError,
  versionsWith,
} from './generations/generation-indices.ts';
export { readRegistry, updateRegistry } from './generations/registry.ts';
export { moveAliases, type Role, type Roles, readRoles, roleOf } from './generations/roles.ts';
export type { UnreadableReason } from './kafka/batch-content.ts';
export { fetchedBatches, runLazily } from './kafka/fetch-response.ts';
export type { FetchedRecord } from './kafka/format/record-batch.ts';
export { recordBytes, type SourceRecord } from './kafka/format/source-record.ts';
export { type PartitionOffsets, readOffsets, recordAgesIn } from './kafka/topic-offsets.ts';
export { OBSERVE_EVERY_MS, REQUEST_TIMEOUT_MS, STALL_LIMITS } from './limits.ts';
export { createMetrics, type ProjectorMetrics } from './metrics.ts';
export type { StallLimits } from './progress/stall-watch.ts';
export { Projection } from './projection.ts';
export { checkProjectorSettings, type ProjectorSettings, projectorSettings } from './settings.ts';
export { type BulkEntry, MAX_BULK_BYTES, writeBulk } from './store/bulk-writer.ts';
export { type Clock, elapsed, type Moment, systemClock } from './store/elapsed-time.ts';
export { ElasticsearchUnavailableError } from './store/elasticsearch-unavailable.ts';
export { itemEntry } from './store/item-entry.ts';
export { refresh } from './store/refresh.ts';
export { retryWhileUnavailable } from './store/retry-while-unavailable.ts';
export { snapshotPages } from './store/snapshot-pages.ts';
export type { StateDocument } from './store/state-document.ts';
export {
  countStates,
  rangesOf,
  type ScannedState,
  type ShardRange,
  type StatePage,
  scanShard,
} from './store/state-scan.ts';
export { ensureTopics } from './topics/ensure-topics.ts';
export {
  DEAD_LETTER_ROOM,
  deadLetterConfig,
  eventsConfig,
  KAFKA_MESSAGE_BYTES,
  LARGEST_EVENT_BYTES,
  PARTITIONS,
  planReplication,
  type Replication,
} from './topics/topic-plan.ts';
export {
  readOffsetsRetention,
  readTopicState,
  type TopicSetting,
  type TopicState,
} from './topics/topic-state.ts';
