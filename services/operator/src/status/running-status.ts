import {
  type Builder,
  builderClientId,
  type GenerationRecord,
  isAlive,
  type Registry,
  unfinishedGeneration,
} from '@vitrine/feed-index';
import type { BuilderStatus, GenerationStatus, GroupMember, Running } from './status.ts';

/**
 * Returns the rebuild in progress, with each process that works on it, or undefined if there is no such
 * process.
 */
export function runningOf(
  registry: Registry,
  generations: readonly GenerationStatus[],
  now: number,
): Running | undefined {
  const { builders = [] } = registry;
  const record = unfinishedGeneration(registry);
  // A killed builder stays in the registry after the end of its rebuild.
  if (builders.length === 0 || (!record && !builders.some((builder) => isAlive(builder, now))))
    return undefined;
  const members = generations.flatMap((one) => one.members);
  const known = builders.filter(({ lost, total }) => !lost && total !== undefined);
  const latest = known.sort((a, b) => Date.parse(a.seen_at) - Date.parse(b.seen_at)).at(-1);
  return {
    ...(record && { generation: record.number, phase: record.phase }),
    ...(latest?.done !== undefined && { done: latest.done }),
    ...(latest?.total !== undefined && { total: latest.total }),
    alive: builders.some((builder) => isAlive(builder, now)),
    builders: builders.map((builder) => builderStatus(builder, record, members, now)),
  };
}

function builderStatus(
  builder: Builder,
  record: GenerationRecord | undefined,
  members: readonly GroupMember[],
  now: number,
): BuilderStatus {
  const { id, host, pid, started_at: startedAt, seen_at: seenAt, lost } = builder;
  const partitions = members.find(({ clientId }) => clientId === builderClientId(id))?.partitions;
  const own = record?.scan?.slices.filter((slice) => slice.builder === id) ?? [];
  const slices = {
    done: own.filter(({ done }) => done).length,
    inProgress: own.filter(({ done }) => !done).length,
    takenOver: own.filter(({ lost }) => lost).length,
  };
  return {
    host,
    pid,
    startedAt,
    seenAt,
    alive: isAlive(builder, now),
    ...(partitions !== undefined && { partitions }),
    ...(own.length > 0 && { slices }),
    ...(lost && { lost }),
  };
}
