export {
  BUILDER_DEAD_AFTER_MS,
  type Builder,
  builderClientId,
  isAlive,
  isBuilderClient,
} from './builder.ts';
export {
  activeBuilders,
  withJoiningBuilder,
  withLostBuilders,
  withNewGeneration,
  withoutBuilder,
  withResumingBuilder,
} from './builder-registry.ts';
export {
  CHANGES_MAPPING_VERSION,
  type ChangeEntry,
  type ChangeState,
  changesIndexBody,
} from './changes/change-entry.ts';
export { type ChangePosition, changeNumber, splitChangeNumber } from './changes/change-number.ts';
export {
  baseBetween,
  type ChangesHistory,
  type ChangesPair,
  EMPTY_HISTORY,
  expiredChanges,
  type HistoryDocument,
  type KeptChanges,
  type LiveChanges,
  liveChain,
  nextEpoch,
  type Transition,
  withCompleted,
  withKept,
  withoutKept,
  withTransition,
} from './changes/changes-history.ts';
export { type ChangesPlan, type ChangesSegment, planChanges } from './changes/plan-changes.ts';
export { clusterRefusal } from './cluster-settings.ts';
export {
  describeVersions,
  findGeneration,
  GenerationError,
  type GenerationRecord,
  type IndexIds,
  isSwitching,
  newestReadyBeside,
  type Offsets,
  type Origin,
  type Registry,
  SWITCHING_MS,
  sameVersions,
  unfinishedGeneration,
  type VerificationResult,
  type Versions,
  withChanges,
  withoutGeneration,
  withTopic,
} from './generation-record.ts';
export { type IndexKind, requiredSettings, type WrongSetting, wrongSettings } from './index-settings.ts';
export { type Availability, type FeedItem, type Item, type Labels, type Offer, offersOf } from './item.ts';
export {
  CURRENT_ITEMS,
  type IndexedField,
  type ItemContent,
  type ItemDocument,
  type ItemMapping,
} from './item-document.ts';
export {
  ITEM_MAPPING_VERSION,
  ITEM_MAPPINGS,
  isItemMapping,
  itemMapping,
  itemsIndexBody,
} from './item-mappings.ts';
export {
  CHANGES_HISTORY_ID,
  changesEpochAlias,
  changesEpochPattern,
  changesHistoryIndex,
  changesPattern,
  type Generation,
  generationNames,
  generationOfChanges,
  generationOfItems,
  itemsAlias,
  liveChangesNames,
  liveChangesOf,
  previousItemsAlias,
  previousStatesAlias,
  readersAliases,
  registryIndex,
  statesAlias,
} from './names.ts';
export type { Phase } from './rebuild-phase.ts';
export {
  claimSlice,
  planSlices,
  type Scan,
  type Slice,
  type SliceProgress,
  withDone,
  withProgress,
} from './scan-slices.ts';
export {
  endedSelfCheck,
  type SelfCheckRecord,
  type SelfCheckRun,
  startedSelfCheck,
} from './self-check-record.ts';
