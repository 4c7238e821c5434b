/** What a generation was built with: mapping versions of its two indices, and the version of the rules. */
export interface Versions {
  states: number;
  items: number;
  rules: number;
}

/**
 * How far a generation is. `creating`: its indices are not sure to be there. `folding`: states come
 * from the topic. `projecting`: states and items do, in one pass. `copying`: states and items come from another generation. `deriving`: items come
 * from its states, beside its group. `following`: its group catches up. `ready`: every projector that
 * speaks its versions feeds it. `pruning`: it goes.
 */
export type Phase = 'creating' | 'folding' | 'projecting' | 'copying' | 'deriving' | 'following' | 'ready' | 'pruning';

/** What a generation is built from. */
export type Origin = { from: 'topic' } | { from: 'states'; of: number };

/** Kafka offsets by partition number, in decimal: where a group starts. */
export type Offsets = Record<string, string>;

/** The outcome of comparing a generation with the live one. */
export interface Certificate {
  /** The generation it was compared with, which was live then. */
  against: number;
  /** When the comparison was over, ISO 8601. */
  at: string;
  compared: number;
  /** How many items differ in ways that the rules explain, and in ways that nothing explains. */
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
  /** Records, or states, a second at most; absent = as fast as it goes. */
  rate?: number;
  /** From where on its group reads; only where that is not the beginning of the topic. */
  offsets?: Offsets;
  /** By shard of the states index that is read: everything up to this sequence number is done. */
  scanned?: Record<string, number>;
  certificate?: Certificate;
  /** The topic had lost records before the replay began, and the operator accepted that. */
  incomplete_log?: boolean;
  /**
   * When a projector first began to read for it (ISO 8601), and where the log began then; `null` until then. Absent
   * means that a replay started its group, or that an earlier version created it.
   */
  first_start?: { at: string; low: Offsets } | null;
}

/** Who works on the unfinished generation. A builder that is not seen for a while counts as dead. */
export interface Builder {
  /** Different for every process. */
  id: string;
  host: string;
  pid: number;
  /** ISO 8601. */
  started_at: string;
  seen_at: string;
  done?: number;
  total?: number;
}

/** Which generations exist and what is done to them. Which one is live is said by the readers' alias alone. */
export interface Registry {
  /** Ascending by number. */
  generations: GenerationRecord[];
  /** The highest number ever given; none is given twice. */
  last: number;
  builder?: Builder;
  /** The generation that is about to become live, so that nobody prunes it meanwhile. */
  switching?: { id: string; to: number; at: string };
}

/** A builder writes every 2 seconds that it lives; one that is not seen for so long may be replaced. */
export const BUILDER_DEAD_AFTER_MS = 15_000;

/** What was asked for cannot be done in the present state of the generations. The message says what can. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
}

export const sameVersions = (a: Versions, b: Versions): boolean => a.states === b.states && a.items === b.items && a.rules === b.rules;

export const describeVersions = ({ states, items, rules }: Versions): string => `states mapping ${states}, items mapping ${items}, rules ${rules}`;

/** The record of a generation. @throws GenerationError when there is none */
export function generation(registry: Registry, number: number): GenerationRecord {
  const found = registry.generations.find((record) => record.number === number);
  if (!found)
    throw new GenerationError(`there is no generation ${number}; there are ${registry.generations.map((one) => one.number).join(', ') || 'none'}`);
  return found;
}

/** The generation that is being built, whether anybody works on it now or not. */
export const unfinished = ({ generations }: Registry): GenerationRecord | undefined =>
  generations.find(({ phase }) => !['creating', 'ready', 'pruning'].includes(phase));

/** The newest generation that is ready and not live. @throws GenerationError when there is none */
export function newestBeside({ generations }: Registry, live: number | undefined): number {
  const found = generations.findLast(({ number, phase }) => phase === 'ready' && number !== live);
  if (!found) throw new GenerationError('there is no other generation that is ready: replay first');
  return found.number;
}

/** Whether the builder still gives signs of life. */
export const isAlive = ({ seen_at }: Builder, now: number): boolean => now - Date.parse(seen_at) < BUILDER_DEAD_AFTER_MS;

/** A process that died while it switched stands in nobody's way for longer. */
const SWITCHING_MS = 60_000;

/** Whether somebody is just moving the readers to another generation. */
export const isSwitching = ({ switching }: Registry, now: number): boolean =>
  switching !== undefined && now - Date.parse(switching.at) < SWITCHING_MS;

/** The registry with one generation changed. */
export function changed(registry: Registry, number: number, changes: Partial<GenerationRecord>): Registry {
  generation(registry, number);
  return { ...registry, generations: registry.generations.map((record) => (record.number === number ? { ...record, ...changes } : record)) };
}

/**
 * A new generation and the builder that works on it.
 * @throws GenerationError when one is under way already
 */
export function begun(registry: Registry, plan: Omit<GenerationRecord, 'number'>, builder: Builder): Registry {
  const before = unfinished(registry);
  if (before) {
    const busy = registry.builder && isAlive(registry.builder, Date.parse(builder.seen_at));
    throw new GenerationError(
      busy
        ? `a replay is running: generation ${before.number}, process ${registry.builder?.pid} on ${registry.builder?.host}`
        : `generation ${before.number} is unfinished: replay resume, or replay cancel`,
    );
  }
  const number = registry.last + 1;
  return { generations: [...registry.generations, { ...plan, number }], last: number, builder };
}

/**
 * The unfinished generation in the hands of a new builder.
 * @throws GenerationError when there is none, or its builder lives
 */
export function takenOver(registry: Registry, builder: Builder): Registry {
  const record = unfinished(registry);
  if (!record) throw new GenerationError('there is no unfinished generation');
  const { builder: before } = registry;
  if (before && isAlive(before, Date.parse(builder.seen_at)))
    throw new GenerationError(`generation ${record.number} is being built by process ${before.pid} on ${before.host}`);
  return { ...registry, builder };
}

/** The registry without its builder. */
export function released({ builder: _, ...registry }: Registry): Registry {
  return registry;
}

/** The registry without a generation; its number is not given again. */
export const without = (registry: Registry, number: number): Registry => ({
  ...registry,
  generations: registry.generations.filter((record) => record.number !== number),
});
