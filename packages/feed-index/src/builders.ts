import {
  type Builder,
  GenerationError,
  type GenerationRecord,
  type Registry,
  unfinishedGeneration,
  withChanges,
} from './generation-record.ts';
import { withFreed } from './scan-slices.ts';

/**
 * A builder sends a heartbeat every 2 s. After this number of milliseconds without a heartbeat, other
 * processes may mark it as lost.
 */
export const BUILDER_DEAD_AFTER_MS = 15_000;

/** Whether the builder is not lost and its last heartbeat is recent. The hosts' clocks must agree. */
export const isAlive = ({ seen_at, lost }: Builder, now: number): boolean =>
  !lost && now - Date.parse(seen_at) < BUILDER_DEAD_AFTER_MS;

const CLIENT_PREFIX = 'vitrine-builder-';

/** A builder's name as a member of its generation's consumer group. */
export const builderClientId = (id: string): string => `${CLIENT_PREFIX}${id}`;

/** Whether a member of a consumer group is a builder. */
export const isBuilderClient = (clientId: string): boolean => clientId.startsWith(CLIENT_PREFIX);

/** The number of lost builders that the registry keeps for `status`. */
const MAX_LOST = 20;

/** The builders that are not lost. Some of them may have died unnoticed. */
export const activeBuilders = ({ builders = [] }: Registry): Builder[] =>
  builders.filter(({ lost }) => !lost);

/**
 * Returns the registry with a new generation and its first builder.
 * @throws GenerationError if another generation is unfinished, or is being removed and still has a builder
 */
export function withNewGeneration(
  registry: Registry,
  plan: Omit<GenerationRecord, 'number'>,
  builder: Builder,
): Registry {
  const before = unfinishedGeneration(registry);
  const busy = aliveBuilder(registry, builder);
  if (before)
    throw new GenerationError(
      busy
        ? `a replay of generation ${before.number} is running in process ${busy.pid} on ${busy.host}`
        : `generation ${before.number} is unfinished. ${continueOrCancel(before.number)}`,
    );
  // A removal waits for the builders of its generation, so they must stay in the registry.
  if (busy && registry.generations.some(({ phase }) => phase === 'pruning'))
    throw new GenerationError(
      `process ${busy.pid} on ${busy.host} has not left an earlier generation yet. Run the command again later`,
    );
  const number = registry.last + 1;
  return {
    ...registry,
    generations: [...registry.generations, { ...plan, number }],
    last: number,
    builders: [builder],
  };
}

/** @throws GenerationError if the operator has named another generation than the unfinished one */
export function assertRequested({ number }: GenerationRecord, requested: number | undefined): void {
  if (requested !== undefined && requested !== number)
    throw new GenerationError(`generation ${requested} is not under construction; generation ${number} is`);
}

/** What an operator can do about an interrupted rebuild. */
export const continueOrCancel = (number: number): string =>
  `Run replay resume ${number} or replay cancel ${number}`;

/**
 * Gives the unfinished generation to a new builder. All earlier builders count as lost.
 * @param number undefined for the unfinished generation, whichever it is
 * @throws GenerationError if there is no such generation, or one of its builders is alive
 */
export function withResumingBuilder(registry: Registry, builder: Builder, number?: number): Registry {
  const record = unfinishedGeneration(registry);
  if (!record) throw new GenerationError('there is no unfinished generation');
  assertRequested(record, number);
  const busy = aliveBuilder(registry, builder);
  if (busy)
    throw new GenerationError(
      `process ${busy.pid} on ${busy.host} is building generation ${record.number}. Run replay join ` +
        `${record.number} to add a builder`,
    );
  const dead = activeBuilders(registry).map(({ id }) => id);
  return withBuilder(withLostBuilders(registry, dead, builder, builder.seen_at), builder);
}

/**
 * Adds a builder to an unfinished generation.
 * @throws GenerationError if the generation is not under construction
 */
export function withJoiningBuilder(registry: Registry, number: number, builder: Builder): Registry {
  const record = unfinishedGeneration(registry);
  if (record?.number !== number)
    throw new GenerationError(
      `generation ${number} is not under construction` +
        `${record ? `; generation ${record.number} is` : ''}. Only a replay in progress can be joined`,
    );
  return withBuilder(registry, builder);
}

export function withLostBuilders(
  registry: Registry,
  ids: readonly string[],
  { host, pid }: Pick<Builder, 'host' | 'pid'>,
  at: string,
): Registry {
  if (ids.length === 0) return registry;
  const marked = (registry.builders ?? []).map((one) =>
    ids.includes(one.id) && !one.lost ? { ...one, lost: { at, host, pid } } : one,
  );
  const lost = marked.filter((one) => one.lost).slice(-MAX_LOST);
  return ids.reduce<Registry>((next, id) => withFreedSlices(next, id, true), {
    ...registry,
    builders: [...lost, ...marked.filter((one) => !one.lost)],
  });
}

/** Returns the registry without a builder that is leaving. Other builders can continue its slices at once. */
export function withoutBuilder(registry: Registry, id: string): Registry {
  const builders = (registry.builders ?? []).filter((one) => one.id !== id || one.lost);
  const { builders: _, ...rest } = withFreedSlices(registry, id, false);
  // The last builder of a finished rebuild also removes the lost ones.
  const isOver = builders.every(({ lost }) => lost) && !unfinishedGeneration(registry);
  return builders.length === 0 || isOver ? rest : { ...rest, builders };
}

/**
 * Finds the generation that a builder builds.
 * @throws GenerationError if the generation was cancelled, or if the builder was marked as lost
 */
export function generationOf(registry: Registry, number: number, builder: string): GenerationRecord {
  const record = registry.generations.find((one) => one.number === number);
  if (!record || record.phase === 'pruning') throw new GenerationError(`generation ${number} was cancelled`);
  if (!activeBuilders(registry).some(({ id }) => id === builder))
    throw new GenerationError(`generation ${number} was taken over by another process`);
  return record;
}

const withBuilder = (registry: Registry, builder: Builder): Registry => ({
  ...registry,
  builders: [...(registry.builders ?? []).filter(({ id }) => id !== builder.id), builder],
});

/** An active builder that was alive when `builder` started. */
const aliveBuilder = (registry: Registry, { seen_at }: Builder): Builder | undefined =>
  activeBuilders(registry).find((one) => isAlive(one, Date.parse(seen_at)));

function withFreedSlices(registry: Registry, id: string, isLost: boolean): Registry {
  const record = unfinishedGeneration(registry);
  if (!record?.scan) return registry;
  return withChanges(registry, record.number, { scan: withFreed(record.scan, id, isLost) });
}
