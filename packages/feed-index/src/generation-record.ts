import { type Phase, TRANSITIONS } from './rebuild-phase.ts';

/** The versions with which a generation was built: the mappings of its two indices, and the rules. */
export interface Versions {
  states: number;
  items: number;
  rules: number;
}

/** The source of a generation. */
export type Origin = { from: 'topic' } | { from: 'states'; of: number };

/** Kafka offsets by partition number, in decimal. A group starts there. */
export type Offsets = Record<string, string>;

/** The result of comparing a generation with the live one. */
export interface VerificationResult {
  /** The generation that was live during the comparison. */
  against: number;
  /** End of the comparison, ISO 8601. */
  at: string;
  compared: number;
  /** Number of differing items that the rules explain, and number of all other differing items. */
  explained: number;
  unexplained: number;
}

export interface GenerationRecord {
  number: number;
  phase: Phase;
  versions: Versions;
  /** ISO 8601. */
  created_at: string;
  origin: Origin;
  /** Maximum records or states per second. Absent = no limit. */
  rate?: number;
  /** The start of its group. Absent = the beginning of the topic. */
  offsets?: Offsets;
  /** For each shard of the source states, the sequence number up to which all states are processed. */
  scanned?: Record<string, number>;
  certificate?: VerificationResult;
  /** The topic had lost records before the replay began, and the operator accepted that. */
  incomplete_log?: boolean;
  /**
   * The time at which a projector first began to read for it (ISO 8601), and the start of the log then.
   * `null` until then. Absent if a replay started its group, or if an earlier version created it.
   */
  first_start?: { at: string; low: Offsets } | null;
}

/** The process that builds the unfinished generation. Without a recent heartbeat, it counts as dead. */
export interface Builder {
  /** Unique per process. */
  id: string;
  host: string;
  pid: number;
  /** ISO 8601. */
  started_at: string;
  seen_at: string;
  done?: number;
  total?: number;
}

/** The existing generations and the operations on them. Only the readers' alias marks the live one. */
export interface Registry {
  /** Ascending by number. */
  generations: GenerationRecord[];
  /** The highest number ever used. Numbers are never reused. */
  last: number;
  builder?: Builder;
  /** The generation that is about to become live. It must not be pruned meanwhile. */
  switching?: { id: string; to: number; at: string };
}

/** A builder sends a heartbeat every 2 seconds. Without one for this time, another may replace it. */
export const BUILDER_DEAD_AFTER_MS = 15_000;

/** The current state of the generations does not allow the request. The message names an alternative. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
}

export const sameVersions = (a: Versions, b: Versions): boolean =>
  a.states === b.states && a.items === b.items && a.rules === b.rules;

export const describeVersions = ({ states, items, rules }: Versions): string =>
  `states mapping ${states}, items mapping ${items}, rules ${rules}`;

/** The record of a generation. @throws GenerationError if there is none */
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

/** The newest generation that is ready and not live. @throws GenerationError if there is none */
export function newestReadyBeside({ generations }: Registry, live: number | undefined): number {
  const found = generations.findLast(({ number, phase }) => phase === 'ready' && number !== live);
  if (!found) throw new GenerationError('no other generation is ready. Run replay first');
  return found.number;
}

/** Whether the last heartbeat of the builder is recent. */
export const isAlive = ({ seen_at }: Builder, now: number): boolean =>
  now - Date.parse(seen_at) < BUILDER_DEAD_AFTER_MS;

/** An interrupted switch blocks others for at most this time. */
const SWITCHING_MS = 60_000;

/** Whether a process is currently switching the readers to another generation. */
export const isSwitching = ({ switching }: Registry, now: number): boolean =>
  switching !== undefined && now - Date.parse(switching.at) < SWITCHING_MS;

/**
 * The registry with changes to one generation.
 * @throws an Error if no transition leads from its phase to the new one
 */
export function withChanges(
  registry: Registry,
  number: number,
  changes: Partial<GenerationRecord>,
): Registry {
  const { phase } = findGeneration(registry, number);
  const next = changes.phase ?? phase;
  if (next !== phase && !(TRANSITIONS[phase] as readonly Phase[]).includes(next))
    throw new Error(`generation ${number} cannot change from ${phase} to ${next}`);
  return {
    ...registry,
    generations: registry.generations.map((record) =>
      record.number === number ? { ...record, ...changes } : record,
    ),
  };
}

/** Adds a new generation and its builder. @throws GenerationError if another one is unfinished */
export function withNewGeneration(
  registry: Registry,
  plan: Omit<GenerationRecord, 'number'>,
  builder: Builder,
): Registry {
  const before = unfinishedGeneration(registry);
  if (before) {
    const busy = registry.builder && isAlive(registry.builder, Date.parse(builder.seen_at));
    throw new GenerationError(
      busy
        ? `a replay of generation ${before.number} is running in process ${registry.builder?.pid} on ` +
            `${registry.builder?.host}`
        : `generation ${before.number} is unfinished. Run replay resume or replay cancel`,
    );
  }
  const number = registry.last + 1;
  return { generations: [...registry.generations, { ...plan, number }], last: number, builder };
}

/**
 * Assigns the unfinished generation to a new builder.
 * @throws GenerationError if there is none, or its builder is alive
 */
export function withNewBuilder(registry: Registry, builder: Builder): Registry {
  const record = unfinishedGeneration(registry);
  if (!record) throw new GenerationError('there is no unfinished generation');
  const { builder: before } = registry;
  if (before && isAlive(before, Date.parse(builder.seen_at)))
    throw new GenerationError(
      `process ${before.pid} on ${before.host} is building generation ${record.number}`,
    );
  return { ...registry, builder };
}

/** The registry without its builder. */
export function withoutBuilder({ builder: _, ...registry }: Registry): Registry {
  return registry;
}

/** The registry without one generation. Its number is not reused. */
export const withoutGeneration = (registry: Registry, number: number): Registry => ({
  ...registry,
  generations: registry.generations.filter((record) => record.number !== number),
});
