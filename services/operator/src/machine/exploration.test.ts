import type { ActionName } from './action.ts';
import { createModel, type Response } from './model.ts';
import { lost, published, surroundings, writeSomeSlices } from './simulated-builders.test.ts';
import { SimulatedDeployment } from './simulated-deployment.test.ts';
import type { State, StepName } from './state.ts';
import type { World } from './world.test.ts';

export const NOW = Date.parse('2026-11-25T12:00:00.000Z');
export const model = createModel(30 * 24 * 60 * 60 * 1_000);

export const unavailable: Response<ActionName> = {
  failure: { kind: 'unavailable', error: new Error('no connection') },
};
export const errorOf = (state: State): string => (state.step === 'failed' ? state.error.message : state.step);

/** Runs a command alone to its end, or up to a step without performing the step's action. */
export function run(deployment: SimulatedDeployment, from: State, until?: StepName, by = 'z'): State {
  let state = from;
  for (let action = model.action(state); action && state.step !== until; action = model.action(state)) {
    while (deployment.isWaiting(action, by)) deployment.wait();
    state = model.next(state, deployment.perform(action, by), deployment.world.now);
  }
  if (until !== undefined && state.step !== until)
    throw new Error(`ended before ${until}: ${errorOf(state)}`);
  return state;
}

/** The names of the processes in an exploration. */
export const NAMES = ['a', 'b'];

/**
 * One point of the exploration: a deployment and the processes that work on it. A killed process is
 * `undefined`.
 */
export interface Point {
  world: World;
  states: readonly (State | undefined)[];
  /** Faults that may still happen. */
  faults: number;
  /** Records that may still be published. */
  records?: number;
}

/** The point after one process has changed its state. A process that has ended sends no heartbeat. */
function moved({ states, ...point }: Point, index: number, next: State | undefined, world: World): Point {
  const by = NAMES[index] as string;
  const isEnded = !next || !model.action(next);
  return {
    ...point,
    states: states.map((one, i) => (i === index ? next : one)),
    world: isEnded ? { ...world, dead: [...world.dead, by] } : world,
  };
}

/** The points to which the processes and their surroundings lead without a fault. */
function* progress(point: Point): Generator<Point> {
  const { world, states } = point;
  if (world.late) {
    const arrived = new SimulatedDeployment(world);
    arrived.arrive();
    yield { ...point, world: arrived.world };
  }
  for (const next of surroundings(world)) yield { ...point, world: next };
  for (const [index, state] of states.entries()) {
    const action = state && model.action(state);
    const done = new SimulatedDeployment(world);
    const by = NAMES[index] as string;
    if (!action || done.isWaiting(action, by)) continue;
    const response = done.perform(action, by);
    yield moved(point, index, model.next(state, response, world.now), done.world);
  }
}

/** The points to which one fault of the first process leads, and those to which a new record leads. */
function* disturbances(point: Point): Generator<Point> {
  const { world, states, faults, records = 0 } = point;
  if (records > 0) yield { ...point, world: published(world), records: records - 1 };
  // The other process of a pair has its faults in the pair with the opposite order.
  const [state, other] = states;
  const [by = '', otherName = ''] = NAMES;
  const action = state && model.action(state);
  if (!action || faults === 0) return;
  const before = { ...point, faults: faults - 1 };
  const done = new SimulatedDeployment(world);
  const isDone = !done.isWaiting(action, by) && 'ok' in done.perform(action, by);
  const worlds = isDone ? [world, done.world] : [world];
  if (action.name === 'moveAliases' || action.name === 'writeSlices') worlds.push({ ...world, late: action });
  if (action.name === 'writeSlices' && isDone) {
    const part = { ...world };
    writeSomeSlices(part, action, by);
    worlds.push(part);
  }
  // The request is lost, its response is lost, it arrives late, or it is partly done. The process continues or ends.
  for (const at of worlds) {
    yield moved(before, 0, model.next(state, unavailable, world.now), at);
    const { [by]: _, ...members } = at.members;
    yield moved(before, 0, undefined, { ...at, members });
  }
  // The builder pauses for so long that another one marks it as lost.
  const isBuilder = (name: string) => world.registry.builders?.some((one) => one.id === name && !one.lost);
  if (other && isBuilder(by) && isBuilder(otherName)) yield { ...before, world: lost(world, by) };
  // All processes pause until every mark has expired.
  yield { ...before, world: { ...world, now: world.now + 61_000 } };
}

/** Equal values have equal numbers. Nothing changes a value, so each object is compared once. */
class Values {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<object, number>();

  numberOf(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value, (_, member) => (member instanceof Error ? member.message : member));
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(value, number);
    return number;
  }
}

/**
 * Visits every reachable point once.
 * @returns how many points there are
 * @throws Error if a process waits forever at some point
 */
export function explore(first: Point, visit: (point: Point) => void): number {
  const values = new Values();
  const seen = new Set<string>();
  const waiting = [first];
  for (let point = waiting.pop(); point; point = waiting.pop()) {
    const { world, states, faults, records } = point;
    const members = Object.entries(world).map(([name, value]) => `${name} ${values.numberOf(value)}`);
    const key = [...members.sort(), faults, records, ...states.map((state) => values.numberOf(state))].join();
    if (seen.has(key)) continue;
    seen.add(key);
    visit(point);
    const next = [...progress(point)];
    const stuck = states.find((state) => state && model.action(state));
    if (next.length === 0 && stuck) throw new Error(`a process waits forever at ${stuck.step}`);
    waiting.push(...next, ...disturbances(point));
  }
  return seen.size;
}

/** Whether every process of a point has ended. */
export const isOver = ({ states }: Point): boolean => states.every((state) => !state || !model.action(state));
