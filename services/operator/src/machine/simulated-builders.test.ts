import {
  activeBuilders,
  claimSlice,
  generationOf,
  unfinishedGeneration,
  withDone,
  withLostBuilders,
  withoutBuilder,
  withRecord,
} from '@vitrine/feed-index';
import type { ActionName, ActionOf, Responses } from './action.ts';
import type { BUILD_PERFORMERS } from './perform-build.ts';
import type { Content, Member, World } from './world.test.ts';

type BuildAction = ActionOf<keyof typeof BUILD_PERFORMERS>;

/** Elasticsearch or Kafka refuses a request. */
export class Rejected extends Error {}

const EMPTY: Content = { committed: 0, states: 0, items: 0 };

/** Performs one action of a builder. Returns undefined for an action that only waits. */
export function performBuild(world: World, action: BuildAction, by: string): Responses[ActionName] {
  switch (action.name) {
    case 'startBuilder':
      world.builds = { ...world.builds, [by]: action.record.number };
      return undefined;
    case 'updateGeneration': {
      const record = action.change(ownGeneration(world, by));
      world.registry = withRecord(world.registry, record);
      return record;
    }
    case 'createIndices': {
      const { number } = action.record;
      world.indices = [...new Set([...world.indices, `items ${number}`, `changes ${number}`])];
      world.content = { [number]: EMPTY, ...world.content };
      return { states: `states ${number}` };
    }
    case 'startConsumer': {
      const { number, phase } = action.record;
      requireIndices(world, number);
      world.groups = [...new Set([...world.groups, number])];
      world.members = { ...world.members, [by]: { generation: number, folds: phase === 'folding' } };
      return undefined;
    }
    case 'waitUntilCommitted':
      ownGeneration(world, by);
      return 0;
    case 'stopConsumer':
      expel(world, by);
      return undefined;
    case 'waitForFolding':
      return ownGeneration(world, by).scan !== undefined;
    case 'readShards':
      return { shards: [{ shard: '0', highest: 1_999 }], total: 2_000 };
    case 'createWriters': {
      requireIndices(world, action.generation);
      const name = `w${world.named++}`;
      world.writers = {
        ...world.writers,
        [action.generation]: [...(world.writers[action.generation] ?? []), name],
      };
      return name;
    }
    case 'startGroup': {
      const { number, offsets } = action.record;
      // The work in the background ends at the latest when a builder waits for it.
      if (!action.isAwaited || world.groups.includes(number)) return undefined;
      world.groups = [...world.groups, number];
      setContent(world, number, { committed: Number(offsets?.['0']) });
      return undefined;
    }
    case 'writeSlices':
      return writeSlices(world, action, by, Number.POSITIVE_INFINITY);
    case 'revokeWriters':
      world.writers = { ...world.writers, [action.generation]: [] };
      return undefined;
    case 'openIndices':
      return requireIndices(world, action.record.number);
    case 'refreshBuilt':
      return requireIndices(world, action.generation);
    case 'takeOverRemovals':
      return { caught_up: { checkpoint: 1, ends: {} } };
    case 'waitForProjector':
      ownGeneration(world, by);
      return true;
    case 'endBuilder':
      expel(world, by);
      if (activeBuilders(world.registry).some(({ id }) => id === by))
        world.registry = withoutBuilder(world.registry, by);
      return undefined;
    default:
      return action satisfies never;
  }
}

/** Whether an action still waits for other processes. */
export function isWaiting(world: World, action: ActionOf<ActionName>, by: string): boolean {
  const { registry, members, content, dead, log } = world;
  if (action.name === 'waitForBuilders')
    return !unfinishedGeneration(registry) && activeBuilders(registry).some(({ id }) => !dead.includes(id));
  const isMember = (generation: number) =>
    Object.values(members).some((member) => member.generation === generation);
  if (action.name === 'waitForGroup') return isMember(action.generation);
  const own = registry.generations.find(({ number }) => number === world.builds[by]);
  // A builder that is lost or whose generation was cancelled waits for nothing.
  if (!own || own.phase === 'pruning' || !activeBuilders(registry).some(({ id }) => id === by)) return false;
  if (action.name === 'waitUntilCommitted')
    return own.phase === action.record.phase && (content[own.number]?.committed ?? 0) < log;
  if (action.name === 'waitForFolding') return !own.scan && isMember(own.number);
  return action.name === 'writeSlices' && own.scan !== undefined && claimSlice(own.scan, by) === 'wait';
}

/** What happens while no command does anything. */
export function* surroundings(world: World): Generator<World> {
  for (const [by, member] of Object.entries(world.members)) {
    const next = { ...world };
    if (consume(next, by, member)) yield next;
  }
  const active = activeBuilders(world.registry);
  const watcher = active.find(({ id }) => !world.dead.includes(id));
  for (const { id } of active.filter((one) => watcher && world.dead.includes(one.id))) yield lost(world, id);
}

/** A builder sends no heartbeat for 15 seconds. Kafka has already expelled it. Another builder marks it as lost. */
export function lost(world: World, id: string): World {
  const next = { ...world };
  expel(next, id);
  next.registry = withLostBuilders(world.registry, [id], { host: 'h', pid: 1 }, '2026-11-25T12:00:30.000Z');
  return next;
}

/** A producer publishes a record. Projectors apply it to each generation that is ready. */
export function published(world: World): World {
  const next = { ...world, log: world.log + 1 };
  for (const { number, phase } of world.registry.generations)
    if (phase === 'ready')
      setContent(next, number, { committed: next.log, states: next.log, items: next.log });
  return next;
}

/** Writes some slices, and claims one more, like a process that ends in the middle. */
export function writeSomeSlices(world: World, action: ActionOf<'writeSlices'>, by: string): void {
  writeSlices(world, action, by, 1);
}

/** A page from a builder arrives, although the builder has given up. */
export function arrivePage(world: World, { record: { number, scan } }: ActionOf<'writeSlices'>): void {
  const { phase } = world.registry.generations.find((one) => one.number === number) ?? {};
  if (!scan || !world.writers[number]?.includes(scan.writer)) return;
  if (phase !== 'copying' && phase !== 'deriving') world.broken = `a page arrived in the phase ${phase}`;
}

function writeSlices(
  world: World,
  { source }: ActionOf<'writeSlices'>,
  by: string,
  atMost: number,
): undefined {
  const record = ownGeneration(world, by);
  if (!record.scan) return;
  const { number } = record;
  let { scan } = record;
  for (let left = atMost; ; left--) {
    const claim = claimSlice(scan, by);
    if (typeof claim === 'string') break;
    if (!world.writers[number]?.includes(scan.writer)) throw new Rejected('the write alias does not exist');
    scan = left > 0 ? withDone(claim.scan, by, claim.index) : claim.scan;
    if (left <= 0) break;
  }
  world.registry = withRecord(world.registry, { ...record, scan });
  const { states } = world.content[source] ?? EMPTY;
  // The last slice is read after all others.
  if (scan.slices.every(({ done }) => done) && !record.scan.slices.every(({ done }) => done))
    setContent(world, number, { states, items: states });
}

/** A member reads, writes or commits. @returns whether it had something to do */
function consume(world: World, by: string, member: Member): boolean {
  const { generation, folds, isConfirmed, written } = member;
  const { committed, states, items } = world.content[generation] ?? EMPTY;
  const set = (next: Member) => {
    world.members = { ...world.members, [by]: next };
    return true;
  };
  if (!world.indices.includes(`items ${generation}`)) return false;
  if (written !== undefined) {
    setContent(world, generation, { committed: Math.max(committed, written) });
    return set({ generation, folds, ...(isConfirmed !== undefined && { isConfirmed }) });
  }
  if (committed >= world.log) return false;
  if (folds && isConfirmed === undefined) {
    const { phase } = world.registry.generations.find(({ number }) => number === generation) ?? {};
    return set({ ...member, isConfirmed: phase === 'folding' });
  }
  if (folds && !isConfirmed) return false;
  const next = committed + 1;
  setContent(world, generation, {
    states: Math.max(states, next),
    items: folds ? items : Math.max(items, next),
  });
  return set({ ...member, written: next });
}

function setContent(world: World, generation: number, change: Partial<Content>): void {
  world.content = {
    ...world.content,
    [generation]: { ...(world.content[generation] ?? EMPTY), ...change },
  };
}

/** @throws GenerationError if the builder is lost, or its generation was cancelled */
const ownGeneration = (world: World, by: string) =>
  generationOf(world.registry, world.builds[by] as number, by);

function expel(world: World, by: string): void {
  const { [by]: _, ...members } = world.members;
  world.members = members;
}

function requireIndices(world: World, generation: number): undefined {
  if (!world.indices.includes(`items ${generation}`)) throw new Rejected('no such index');
}
