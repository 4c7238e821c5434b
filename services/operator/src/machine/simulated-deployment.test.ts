import { GenerationError } from '@vitrine/feed-index';
import type { ActionName, ActionOf, Responses } from './action.ts';
import type { Response } from './model.ts';
import { arrivePage, isWaiting, performBuild, Rejected, surroundings } from './simulated-builders.test.ts';
import type { World } from './world.test.ts';

/** Performs the actions of the machine on a world in memory. Each action is atomic, as on the engines. */
export class SimulatedDeployment {
  readonly world: World;

  /** @param world stays unchanged, as does everything that it contains */
  constructor(world: World) {
    this.world = { ...world };
  }

  /** @param by the process that performs the action */
  perform(action: ActionOf<ActionName>, by = ''): Response<ActionName> {
    try {
      return { ok: this.#do(action, by) };
    } catch (error) {
      if (error instanceof Rejected) return { failure: { kind: 'unavailable', error } };
      if (error instanceof GenerationError) return { failure: { kind: 'refused', error } };
      throw error;
    }
  }

  /** A late request arrives. */
  arrive(): void {
    const { late } = this.world;
    delete this.world.late;
    if (late?.name === 'writeSlices') arrivePage(this.world, late);
    else if (late) this.perform(late);
  }

  /** The surroundings of a waiting process do something. @throws Error if nothing can happen */
  wait(): void {
    const { value: next } = surroundings(this.world).next();
    if (!next) throw new Error('the process waits forever');
    Object.assign(this.world, next);
  }

  isWaiting(action: ActionOf<ActionName>, by: string): boolean {
    return isWaiting(this.world, action, by);
  }

  #do(action: ActionOf<ActionName>, by: string): Responses[ActionName] {
    const { world } = this;
    switch (action.name) {
      case 'readRegistry':
        return world.registry;
      case 'updateRegistry': {
        const before = world.registry;
        world.registry = action.change(before, world.now);
        return { before, after: world.registry };
      }
      case 'readRoles': {
        const { live, previous, lostStates } = world;
        return {
          ...(live !== undefined && { live }),
          ...(previous !== undefined && { previous }),
          ...(lostStates && { lostStates }),
        };
      }
      case 'readChanges': {
        const { epoch, history } = world;
        return { ...(epoch && { live: epoch }), history };
      }
      case 'updateHistory':
        world.history = action.change(world.history, world.now);
        return world.history;
      case 'measureLag':
        return action.generations.map((number) => world.behind?.[number] ?? 0);
      case 'takeMarks':
        return { from: 10, to: 20 };
      case 'moveAliases':
        return this.#move(action);
      case 'liftEntries':
        world.lifted = [...world.lifted, action.transition.epoch];
        return undefined;
      case 'closeItems':
        world.closed = [...new Set([...world.closed, action.generation])];
        return undefined;
      case 'reopenItems':
        world.closed = world.closed.filter((number) => number !== action.generation);
        return undefined;
      case 'hasChanges':
        return world.indices.includes(`changes ${action.generation}`);
      case 'deleteChanges':
        return this.#delete(...action.generations.map((number) => `changes ${number}`));
      case 'deleteIndices':
        if (world.live === action.generation) delete world.live;
        if (world.previous === action.generation) delete world.previous;
        return this.#delete(`items ${action.generation}`);
      case 'deleteGroup': {
        world.groups = world.groups.filter((group) => group !== action.generation);
        const { [action.generation]: _, ...content } = world.content;
        world.content = content;
        return undefined;
      }
      case 'findLastNumber': {
        let last = action.after;
        while ((world.content[last + 1]?.committed ?? 0) > 0) last++;
        return last;
      }
      case 'countSource':
        return { records: world.log * world.eventsPerListing, states: world.log };
      case 'readTopic': {
        const topic = { topic: 't', topicId: 'T', low: { 0: '7' } };
        const { committed } = world.content[action.generation ?? 0] ?? {};
        return committed === undefined ? topic : { ...topic, offsets: { 0: String(committed) } };
      }
      case 'checkIndices':
      case 'checkScans':
      case 'checkLog':
      case 'refreshItems':
      case 'waitForBuilders':
      case 'waitForGroup':
      case 'closeChanges':
        return undefined;
      default:
        return performBuild(world, action, by);
    }
  }

  /** One atomic update of the aliases. Elasticsearch refuses it if an alias to remove is missing. */
  #move({ from, to, previous, epochs: { ends, begins } }: ActionOf<'moveAliases'>): void {
    const { world } = this;
    const isAsExpected =
      world.live === from &&
      (previous === undefined || world.previous === previous) &&
      world.indices.includes(`items ${to}`) &&
      !world.closed.includes(to) &&
      (!ends || (world.epoch?.epoch === ends.epoch && world.epoch.generation === ends.generation));
    if (!isAsExpected) {
      if (world.live === to) return;
      throw new GenerationError('another process switched at the same time');
    }
    world.live = to;
    if (from === undefined) delete world.previous;
    else world.previous = from;
    if (ends) delete world.epoch;
    if (begins) world.epoch = begins;
  }

  #delete(...indices: string[]): undefined {
    this.world.indices = this.world.indices.filter((index) => !indices.includes(index));
  }
}
