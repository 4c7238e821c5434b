import type {
  Builder,
  ChangesHistory,
  ChangesPair,
  GenerationRecord,
  IndexIds,
  LiveChanges,
  Offsets,
  Registry,
} from '@vitrine/feed-index';
import type { EpochMove, Roles } from '@vitrine/projection/generations';
import type { Handover } from '../replay/handover.ts';

/**
 * The actions that a step can request. Each action has at most one durable effect (`DURABLE`), and repeating
 * it changes nothing more. `change` is pure and may throw a GenerationError, which refuses the command.
 */
export interface Requests {
  readRegistry: object;
  updateRegistry: { change: (registry: Registry, now: number) => Registry };
  readRoles: object;
  readChanges: object;
  updateHistory: { change: (history: ChangesHistory, now: number) => ChangesHistory };
  checkIndices: { record: GenerationRecord };
  measureLag: { generations: readonly number[] };
  takeMarks: { registry: Registry; from: number; to: number; base: ChangesPair | undefined };
  refreshItems: { generation: number };
  moveAliases: { from: number | undefined; to: number; previous: number | undefined; epochs: EpochMove };
  liftEntries: { transition: Handover };
  waitForBuilders: object;
  waitForGroup: { generation: number };
  closeItems: { generation: number };
  reopenItems: { generation: number };
  hasChanges: { generation: number };
  closeChanges: { generation: number };
  deleteChanges: { generations: readonly number[] };
  deleteIndices: { generation: number };
  deleteGroup: { generation: number };

  checkScans: object;
  /** `after` is the highest number in the registry. */
  findLastNumber: { after: number };
  /** If a generation is given, only the records that its group has not read have to exist. */
  checkLog: { generation?: number };
  countSource: { live: number };
  /** If a generation is given, the action also reads the positions of its group. */
  readTopic: { generation?: number };
  startBuilder: { builder: Builder; record: GenerationRecord; registry: Registry };
  /** Sends a heartbeat with a change to the builder's generation. `change` is pure. */
  updateGeneration: { change: (record: GenerationRecord) => GenerationRecord };
  createIndices: { record: GenerationRecord };
  startConsumer: { record: GenerationRecord };
  waitUntilCommitted: { record: GenerationRecord };
  stopConsumer: object;
  waitForFolding: { generation: number };
  readShards: { generation: number };
  createWriters: { generation: number };
  startGroup: { record: GenerationRecord; isAwaited: boolean };
  writeSlices: { record: GenerationRecord; source: number };
  revokeWriters: { generation: number };
  openIndices: { record: GenerationRecord };
  refreshBuilt: { generation: number };
  takeOverRemovals: { record: GenerationRecord };
  waitForProjector: { generation: number };
  endBuilder: object;
}

/** What an action has read or done. */
export interface Responses extends Record<keyof Requests, unknown> {
  readRegistry: Registry;
  updateRegistry: { before: Registry; after: Registry };
  readRoles: Roles;
  readChanges: { live?: LiveChanges; history: ChangesHistory };
  updateHistory: ChangesHistory;
  /** The number of records by which each generation is behind the topic. */
  measureLag: readonly number[];
  /** The marks, or undefined if followers have to start over. */
  takeMarks: ChangesPair | undefined;
  hasChanges: boolean;
  findLastNumber: number;
  countSource: { records: number; states: number };
  /** `low` is the start of the log. The offsets are those of the requested generation. */
  readTopic: { topic: string; topicId: string; low: Offsets; offsets?: Offsets };
  updateGeneration: GenerationRecord;
  createIndices: IndexIds;
  /** How many milliseconds the wait took after no open transaction held the records back any longer. */
  waitUntilCommitted: number;
  /** Whether another builder has planned the slices. */
  waitForFolding: boolean;
  readShards: { shards: { shard: string; highest: number }[]; total: number };
  /** The name of the write aliases. */
  createWriters: string;
  takeOverRemovals: Pick<GenerationRecord, 'caught_up'>;
  waitForProjector: boolean;
}

export type ActionName = keyof Requests;

export type ActionOf<Name extends ActionName> = { [N in Name]: { name: N } & Requests[N] }[Name];

/**
 * Why an action did not succeed. `refused` means that the deployment does not allow the action, which changed
 * nothing. `unavailable` means that an engine did not respond, so the effect may have taken place.
 */
export interface Failure {
  kind: 'refused' | 'unavailable';
  error: Error;
}

/**
 * What an action leaves behind if the process ends after it. It is `nothing` for actions that only read or
 * wait.
 */
export const DURABLE: Readonly<Record<ActionName, string>> = {
  readRegistry: 'nothing',
  updateRegistry: 'the registry with one change, or the registry as it was',
  readRoles: 'nothing',
  readChanges: 'nothing',
  updateHistory: 'the history of the changes with one change, or the history as it was',
  checkIndices: 'nothing',
  measureLag: 'nothing',
  takeMarks: 'newer entries for the items that differ, which followers may receive twice',
  refreshItems: 'nothing',
  moveAliases: 'all aliases of the new live generation, or all of the old one',
  liftEntries: 'newer entries for the items behind the mark, which followers may receive twice',
  waitForBuilders: 'nothing',
  waitForGroup: 'nothing',
  closeItems: 'a generation that no process can write or make live',
  reopenItems: 'a generation that processes can write again',
  hasChanges: 'nothing',
  closeChanges: 'a changes index that no process can write',
  deleteChanges: 'fewer changes indices',
  deleteIndices: 'fewer indices of a generation that is being pruned',
  deleteGroup: 'no consumer group of a generation that is being pruned',
  checkScans: 'nothing',
  findLastNumber: 'nothing',
  checkLog: 'nothing',
  countSource: 'nothing',
  readTopic: 'nothing',
  startBuilder: 'nothing',
  updateGeneration: 'the generation with one change and a heartbeat, or the generation as it was',
  createIndices: 'indices of a generation that is being built, which no reader sees',
  startConsumer: 'states of some records, and items in `projecting` and `following`',
  waitUntilCommitted: 'nothing',
  stopConsumer: 'nothing',
  waitForFolding: 'nothing',
  readShards: 'nothing',
  createWriters: 'write aliases that no builder uses before the scan is recorded',
  startGroup: 'the start offsets of a consumer group that had none',
  writeSlices: 'items of some states, and finished slices in the registry',
  revokeWriters: 'no write aliases of the phase, so that a late page is refused',
  openIndices: 'indices with the refresh interval of live ones',
  refreshBuilt: 'nothing',
  takeOverRemovals: 'some removals that followers of the live generation may still need',
  waitForProjector: 'nothing',
  endBuilder: 'the registry without this builder, or with one whose work others can take over',
};

/** A change to the registry, with `now` in epoch milliseconds. */
export const updateRegistry = (change: Requests['updateRegistry']['change']): ActionOf<'updateRegistry'> => ({
  name: 'updateRegistry',
  change,
});

/** A change to the history, with `now` in epoch milliseconds. */
export const updateHistory = (change: Requests['updateHistory']['change']): ActionOf<'updateHistory'> => ({
  name: 'updateHistory',
  change,
});
