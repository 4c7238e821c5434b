export type { UnreadableReason } from './batch-content.ts';
export { fetchedBatches, runLazily } from './fetch-response.ts';
export type { FetchedRecord } from './format/record-batch.ts';
export { recordBytes, type SourceRecord } from './format/source-record.ts';
export { type PartitionOffsets, readOffsets, recordAgesIn } from './topic-offsets.ts';
