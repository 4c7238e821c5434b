import { type Phase, TRANSITIONS } from './rebuild-phase.ts';
import type { ReconciliationRecord } from './reconciliation-record.ts';
import { describeRules, moduleAdvice, type RulesVersion } from './rules-version.ts';
import type { Scan } from './scan-slices.ts';
import type { SelfCheckRecord } from './self-check-record.ts';

/** The versions with which a generation was built: the mappings of its indices, and the rules. */
export interface Versions {
  states: number;
  items: number;
  /** This version is absent if the generation has no changes index, because an earlier release built it. */
  changes?: number;
  rules: RulesVersion;
}

/** The source of a generation. */
export type Origin = { from: 'topic' } | { from: 'states'; of: number };

/** Kafka offsets in decimal, by partition number. A consumer group starts at these offsets. */
export type Offsets = Record<string, string>;

/** The result of comparing a generation with the live generation. */
export interface VerificationResult {
  /** The generation that was live during the comparison. */
  against: number;
  /** The time at which the comparison ended (ISO 8601). */
  at: string;
  compared: number;
  /** The numbers of differing items that the rules explain, and of all other differing items. */
  explained: number;
  unexplained: number;
  /** The number of differing items per reason code. It is absent in results from earlier releases. */
  reasons?: Record<string, number>;
  /**
   * The checkpoints that the live and the compared changes indices had before the comparison. A checkpoint is
   * absent if its generation has no changes index.
   */
  changes?: { live?: number; own?: number };
}

/** The UUIDs that Elasticsearch gave the indices of a generation when they were created. */
export type IndexIds = Partial<Record<'states' | 'items' | 'changes', string>>;

export interface GenerationRecord {
  number: number;
  phase: Phase;
  versions: Versions;
  /** ISO 8601. */
  created_at: string;
  origin: Origin;
  /**
   * The id of the events topic to which all offsets in this record belong. It is absent until a projector has
   * read the topic, and in records from release 1.1.0.
   */
  topic_id?: string;
  /** The maximum number of records or states per second. It is absent if there is no limit. */
  rate?: number;
  /**
   * The offsets at which the consumer group starts. They are absent if it reads the topic from the beginning.
   */
  offsets?: Offsets;
  /** The shared scan of `copying` or `deriving`. It is absent until a builder has planned it. */
  scan?: Scan;
  verification?: VerificationResult;
  /** Whether the topic had lost records before the replay began and the operator accepted the loss. */
  incomplete_log?: boolean;
  /**
   * The time (ISO 8601) at which a replay began to build this generation or, without a replay, at which a
   * projector first read the topic for it, and the start of the log at that time. The member is `null` before
   * then. It is absent if an earlier version of this code created the record.
   */
  first_start?: { at: string; low: Offsets } | null;
  /**
   * The checkpoint of the changes index when the rebuild had caught up, and the end offsets of the topic,
   * which were read after the checkpoint. Every event from these offsets on has an entry above the
   * checkpoint.
   */
  caught_up?: { checkpoint: number; ends: Offsets };
  /**
   * The ids are absent until the indices exist, and until a projector has completed a record from an earlier
   * release. A later difference means that an index was restored, or deleted and created again.
   */
  index_ids?: IndexIds;
}

/** A process that builds the unfinished generation, alone or together with others. */
export interface Builder {
  /** The id is unique per process. */
  id: string;
  host: string;
  pid: number;
  /** ISO 8601. */
  started_at: string;
  /** The time of the last heartbeat, according to the clock of the builder's host. */
  seen_at: string;
  /** The progress of the whole phase, as far as this builder knows. */
  done?: number;
  total?: number;
  /** It is set if another process has marked the builder as lost. Such a builder can never work again. */
  lost?: LostBuilder;
}

/** The time at which a builder was marked as lost, and the process that marked it. */
interface LostBuilder {
  /** ISO 8601. */
  at: string;
  host: string;
  pid: number;
}

/**
 * The existing generations and the operations on them. Only the readers' alias identifies the live
 * generation.
 */
export interface Registry {
  /** The generations, in ascending order of their numbers. */
  generations: GenerationRecord[];
  /** The highest number ever used. Numbers are never reused. */
  last: number;
  /** The processes that build the unfinished generation, and lost builders, if there are any. */
  builders?: Builder[];
  /**
   * The generation that is about to become live. Until the switch is complete, no command may prune it. `at`
   * is the time at which a process last renewed the mark.
   */
  switching?: { id: string; to: number; at: string };
  /** This record is absent until the first run of `verify --self` on a live generation. */
  self_check?: SelfCheckRecord;
  /** This record is absent until the first complete run of `reconcile`. */
  reconciliation?: ReconciliationRecord;
}

/** The error for a command that the generations' state forbids. The message suggests an alternative. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
}

export const sameVersions = (a: Versions, b: Versions): boolean =>
  a.states === b.states && a.items === b.items && a.changes === b.changes && a.rules === b.rules;

export const describeVersions = ({ states, items, changes, rules }: Versions): string =>
  `states mapping ${states}, items mapping ${items}, ` +
  `${changes === undefined ? 'no changes index' : `changes mapping ${changes}`}, rules ${describeRules(rules)}`;

/**
 * Describes how the versions of a generation differ from those of a process, and what an operator can do if
 * the rules modules differ. Pure.
 * @param process the process, as the subject of a clause
 * @param consequence the text that follows the comparison
 */
export const describeMismatch = (
  { number, versions }: Pick<GenerationRecord, 'number' | 'versions'>,
  ours: Versions,
  process = 'this code',
  consequence = '',
): string =>
  `generation ${number} was built with ${describeVersions(versions)}, but ${process} has ` +
  `${describeVersions(ours)}${consequence}${moduleAdvice(versions.rules, ours.rules)}`;

/** Finds the record of a generation. @throws GenerationError if the generation does not exist */
export function findGeneration(registry: Registry, number: number): GenerationRecord {
  const found = registry.generations.find((record) => record.number === number);
  if (!found)
    throw new GenerationError(
      `generation ${number} does not exist; existing generations: ` +
        `${registry.generations.map((one) => one.number).join(', ') || 'none'}`,
    );
  return found;
}

/** The generation under construction, with or without an active builder. */
export const unfinishedGeneration = ({ generations }: Registry): GenerationRecord | undefined =>
  generations.find(({ phase }) => !['creating', 'ready', 'pruning'].includes(phase));

/** Finds the newest generation that is ready and not live. @throws GenerationError if there is none */
export function newestReadyBeside(registry: Registry, live: number | undefined): number {
  const found = registry.generations.findLast(({ number, phase }) => phase === 'ready' && number !== live);
  const unfinished = unfinishedGeneration(registry);
  if (!found)
    throw new GenerationError(
      unfinished
        ? `no other generation is ready; generation ${unfinished.number} is under construction`
        : 'no other generation is ready. Run replay first',
    );
  return found.number;
}

/** The longest time, in milliseconds, for which a killed switch blocks other switches. */
export const SWITCHING_MS = 60_000;

/** Whether a process is currently switching the readers to another generation. */
export const isSwitching = ({ switching }: Registry, now: number): boolean =>
  switching !== undefined && now - Date.parse(switching.at) < SWITCHING_MS;

/**
 * Returns the registry with changes to one generation.
 * @throws Error if the generation must not change from its phase to the new phase
 */
export function withChanges(
  registry: Registry,
  number: number,
  changes: Partial<GenerationRecord>,
): Registry {
  return withRecord(registry, { ...findGeneration(registry, number), ...changes });
}

/**
 * Returns the registry with a generation's record replaced.
 * @throws Error if the generation cannot change from its current phase to the new phase
 */
export function withRecord(registry: Registry, record: GenerationRecord): Registry {
  const { number, phase: next } = record;
  const { phase } = findGeneration(registry, number);
  if (next !== phase && !(TRANSITIONS[phase] as readonly Phase[]).includes(next))
    throw new Error(`generation ${number} cannot change from ${phase} to ${next}`);
  return {
    ...registry,
    generations: registry.generations.map((one) => (one.number === number ? record : one)),
  };
}

/**
 * Returns the registry with the topic that a generation reads. If the generation has read another topic,
 * removes that topic's offsets. If the generation was pruned, returns the registry unchanged.
 * @param firstStart the start of the log at the first start of a projector; recorded once for each topic
 */
export function withTopic(
  registry: Registry,
  number: number,
  topicId: string,
  firstStart: NonNullable<GenerationRecord['first_start']>,
): Registry {
  const record = registry.generations.find((one) => one.number === number);
  if (!record) return registry;
  const isOther = record.topic_id !== undefined && record.topic_id !== topicId;
  if (record.topic_id === topicId && record.first_start !== null) return registry;
  const { offsets: _, caught_up: __, ...rest } = record;
  const next: GenerationRecord = {
    ...(isOther ? rest : record),
    topic_id: topicId,
    ...((isOther || record.first_start === null) && { first_start: firstStart }),
  };
  return withRecord(registry, next);
}

/** Returns the registry without one generation. The number of a removed generation is never reused. */
export const withoutGeneration = (registry: Registry, number: number): Registry => ({
  ...registry,
  generations: registry.generations.filter((record) => record.number !== number),
});
