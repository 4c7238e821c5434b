export {
  readChangesHistory,
  readLiveChain,
  readLiveChanges,
  updateChangesHistory,
} from './changes-history.ts';

export { ensureFirstGeneration } from './first-generation.ts';
export { prepareStart } from './first-start.ts';
export { type FollowableChanges, readFollowableChanges } from './followable-changes.ts';
export {
  type GenerationConsumer,
  type GenerationConsumerOptions,
  groupOf,
  type ProjectorContext,
  startGenerationConsumer,
} from './generation-consumer.ts';

export { createIndices, refreshAsLive, refreshForReaders } from './generation-indices.ts';
export { type ChangesSize, countListings, readChangesSizes } from './generation-sizes.ts';
export { documentRules, isWritable, versionsWith } from './generation-versions.ts';
export { checkIndices, type Inspected, inspectIndices } from './inspect-indices.ts';
export { lastGroupNumber } from './last-group-number.ts';
export { LiveMarks } from './live-mark.ts';
export { readRegistry, updateRegistry } from './registry.ts';
export { removeAliases } from './remove-aliases.ts';
export { type EpochMove, moveAliases, type Role, type Roles, readRoles, roleOf } from './roles.ts';
export { UnusableIndexError } from './unusable-index.ts';
