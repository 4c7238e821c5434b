import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Builder,
  EMPTY_HISTORY,
  type GenerationRecord,
  unfinishedGeneration,
} from '@vitrine/feed-index';
import { expect } from 'chai';
import type { ActionOf } from './action.ts';
import { BUILD_STEPS } from './build-steps.ts';
import { errorOf, explore, isOver, model, NAMES, NOW, run, unavailable } from './exploration.test.ts';
import { Rejected } from './simulated-builders.test.ts';
import { SimulatedDeployment } from './simulated-deployment.test.ts';
import type { State, StepName } from './state.ts';
import { NO_BUILDS, type World } from './world.test.ts';

const at = new Date(NOW).toISOString();
const ours = { states: 1, items: 2, changes: 1, rules: 1 };

const ready = (number: number): GenerationRecord => ({
  number,
  phase: 'ready',
  versions: ours,
  created_at: at,
  origin: { from: 'topic' },
});

/** Generation 1 is live, and 2 is ready. A rebuild chooses to fold. */
const folds = (): World => ({
  ...NO_BUILDS,
  now: NOW,
  registry: { generations: [ready(1), ready(2)], last: 2 },
  live: 1,
  previous: 2,
  epoch: { epoch: 1, generation: 1 },
  history: EMPTY_HISTORY,
  indices: [1, 2].flatMap((number) => [`items ${number}`, `changes ${number}`]),
  groups: [1, 2],
  closed: [],
  lifted: [],
  eventsPerListing: 3,
  content: { 1: { committed: 1, states: 1, items: 1 }, 2: { committed: 1, states: 1, items: 1 } },
});
/** A rebuild chooses one pass. */
const projects = (): World => ({ ...folds(), eventsPerListing: 1 });

const builder = (id: string, secondsLater: number): Builder => {
  const seen_at = new Date(NOW + secondsLater * 1_000).toISOString();
  return { id, host: 'h', pid: 1, started_at: seen_at, seen_at };
};

const options = { allowedDifferences: 0, allowExplained: false, maxVerificationAge: 3_600_000 };
/** The commands, each with its process's name. One with `later` begins when the heartbeats of the others are old. */
const commands = {
  replay: (by: string) => ({
    step: 'planReplay',
    data: { from: 'topic', incompleteLog: false, ours, builder: builder(by, 0) },
  }),
  'replay --from states': (by: string) => ({
    step: 'planReplay',
    data: { from: 'states', incompleteLog: false, ours, builder: builder(by, 0) },
  }),
  'replay join 3': (by: string) => ({
    step: 'readUnfinished',
    data: { join: 3, ours, builder: builder(by, 0) },
  }),
  'replay resume': (by: string) => ({ step: 'readUnfinished', data: { ours, builder: builder(by, 0) } }),
  'replay resume, later': (by: string) => ({
    step: 'readUnfinished',
    data: { ours, builder: builder(by, 20) },
  }),
  'replay cancel': () => ({ step: 'cancel', data: {} }),
  'prune 1': () => ({ step: 'readRoles', data: { number: 1 } }),
  'prune 2': () => ({ step: 'readRoles', data: { number: 2 } }),
  rollback: (mark: string) => ({
    step: 'readRegistry',
    data: { command: 'rollback', requested: undefined, mark },
  }),
  'switch 3': (mark: string) => ({
    step: 'readRegistry',
    data: { command: 'switch', requested: 3, options, mark },
  }),
} as const satisfies Record<string, (by: string) => { step: StepName; data: object }>;
type CommandName = keyof typeof commands;

const begin = (name: CommandName, by: string): State => commands[name](by) as State;

/** Runs a command of the process `a` up to a step, and kills it there, before or after the action. */
function killedAt(world: World, name: CommandName, step: StepName, isAfter: boolean): World {
  const deployment = new SimulatedDeployment(world);
  const action = model.action(run(deployment, begin(name, 'a'), step, 'a'));
  if (isAfter && action) {
    while (deployment.isWaiting(action, 'a')) deployment.wait();
    deployment.perform(action, 'a');
  }
  const { a: _, ...members } = deployment.world.members;
  return { ...deployment.world, members, dead: ['a'] };
}

/** The steps that a command passes through when it runs alone. */
function stepsOf(world: World, name: CommandName): StepName[] {
  const deployment = new SimulatedDeployment(world);
  const passed: StepName[] = [];
  for (let state = begin(name, 'a'); ; ) {
    const action = model.action(state);
    if (!action) {
      expect(state.step, errorOf(state)).to.equal('done');
      return passed;
    }
    passed.push(state.step as StepName);
    while (deployment.isWaiting(action, 'a')) deployment.wait();
    state = model.next(state, deployment.perform(action, 'a'), NOW);
  }
}

/** Asserts what holds at every moment, whatever has failed. Chai would be too slow for a hundred thousand points. */
function assertWhole({ registry, content, writers, broken, live, indices }: World): void {
  const assert = (holds: boolean, what: string) => {
    if (!holds) throw new Error(what);
  };
  assert(broken === undefined, broken ?? '');
  assert(indices.includes(`items ${live}`), 'the live items exist');
  const unfinished = registry.generations.filter(({ phase }) => phase !== 'ready' && phase !== 'pruning');
  assert(unfinished.length < 2, 'one rebuild at a time');
  for (const { number, phase, scan } of registry.generations) {
    if (phase !== 'following' && phase !== 'ready') continue;
    const { committed, states, items } = content[number] as NonNullable<(typeof content)[number]>;
    const all = `generation ${number} (${phase}) has every`;
    assert(states >= committed, `${all} state that its group has passed`);
    assert(items >= committed, `${all} item that its group has passed`);
    assert(!scan || !writers[number]?.includes(scan.writer), 'no late page can arrive');
  }
}

/** The worlds from which `resume` and `cancel` have already been tried. Many paths lead to the same world. */
const continued = new Set<string>();

/** Asserts what `resume` and `cancel` reach after everything has stopped. */
function assertContinued(world: World): void {
  const record = unfinishedGeneration(world.registry);
  const key = JSON.stringify(world);
  if (!record || continued.has(key)) return;
  continued.add(key);
  const { number } = record;
  const dead = [...world.dead, 'a', 'b'];
  const resumed = new SimulatedDeployment({ ...world, dead });
  resumed.arrive();
  const end = run(
    resumed,
    { step: 'readUnfinished', data: { ours, builder: builder('z', 60) } },
    undefined,
    'z',
  );
  expect(end, errorOf(end)).to.deep.include({ result: { generation: number, hasProjector: true } });
  assertWhole(resumed.world);
  expect(resumed.world.registry, 'no builder stays').not.to.have.any.keys('builders');
  const built = resumed.world.registry.generations.at(-1);
  expect(built?.phase).to.equal('ready');
  expect(built, 'no scan stays').not.to.have.any.keys('scan');

  const cancelled = new SimulatedDeployment({ ...world, dead });
  const cancel = run(cancelled, begin('replay cancel', 'z'), undefined, 'z');
  expect(cancel.step, errorOf(cancel)).to.equal('done');
  assertRemoved(cancelled.world, number);
}

function assertRemoved({ registry, indices, groups }: World, number: number): void {
  expect(registry.generations.map((one) => one.number)).not.to.include(number);
  expect(indices).not.to.include(`items ${number}`);
  expect(groups).not.to.include(number);
}

/** What `replay` prints while the heartbeat of a killed builder is recent, and after that. */
const UNFINISHED = [
  'a replay of generation 3 is running in process 1 on h',
  'generation 3 is unfinished. Run replay resume 3 or replay cancel 3',
];

describe('the machine of rebuilds', function () {
  // A busy machine may need this long. The limit measures nothing.
  this.timeout(120_000);

  const ways: [string, () => World, CommandName][] = [
    ['a replay that folds', folds, 'replay'],
    ['a replay in one pass', projects, 'replay'],
    ['a replay from the states', projects, 'replay --from states'],
  ];
  for (const [title, world, command] of ways) {
    it(`completes ${title}`, () => {
      const deployment = new SimulatedDeployment(world());
      const end = run(deployment, begin(command, 'a'), undefined, 'a');
      expect(end, errorOf(end)).to.deep.equal({
        step: 'done',
        result: { generation: 3, hasProjector: true },
      });
      assertWhole(deployment.world);
      expect(deployment.world.content[3]).to.deep.equal({ committed: 1, states: 1, items: 1 });
      expect(deployment.world.registry).to.have.all.keys('generations', 'last');
      expect(deployment.world.registry.generations[2]).to.deep.include({
        phase: 'ready',
        topic_id: 'T',
        first_start: { at, low: { 0: '7' } },
        index_ids: { states: 'states 3' },
        caught_up: { checkpoint: 1, ends: {} },
      });
    });

    it(`leaves the group and the registry after ${title} failed at any step`, () => {
      for (const step of stepsOf(world(), command).filter((one) => one in BUILD_STEPS && one !== 'leave')) {
        const deployment = new SimulatedDeployment(world());
        const reached = run(deployment, begin(command, 'a'), step, 'a');
        const end = run(deployment, model.next(reached, unavailable, NOW), undefined, 'a');
        expect(errorOf(end), step).to.equal('no connection');
        expect(deployment.world.members, step).to.deep.equal({});
        expect(deployment.world.registry, step).to.have.all.keys('generations', 'last');
      }
    });

    it(`allows resume and cancel after ${title} was killed at any step, and says so`, () => {
      for (const step of stepsOf(world(), command))
        for (const isAfter of [false, true]) {
          const left = killedAt(world(), command, step, isAfter);
          assertWhole(left);
          assertContinued(left);
          const isBegun = left.registry.generations.length === 3;
          expect(isBegun, step).to.equal(step in BUILD_STEPS || (step === 'addGeneration' && isAfter));
          const again = run(new SimulatedDeployment(left), begin('replay', 'z'));
          const later = run(new SimulatedDeployment(left), {
            step: 'planReplay',
            data: { from: 'topic', incompleteLog: false, ours, builder: builder('z', 20) },
          });
          const expected = unfinishedGeneration(left.registry) ? UNFINISHED : ['done', 'done'];
          expect([errorOf(again), errorOf(later)], step).to.deep.equal(expected);
        }
    });

    it(`survives each fault at each step of ${title}, while records arrive`, () => {
      const points = explore(
        { world: world(), states: [begin(command, 'a')], faults: 1, records: 1 },
        (point) => {
          assertWhole(point.world);
          if (isOver(point)) assertContinued(point.world);
        },
      );
      expect(points).to.be.greaterThan(100);
    });
  }

  /** A command from its first step, or from a step that it has reached alone. */
  type Process = CommandName | readonly [CommandName, StepName];
  const reading = ['replay', 'readLog'] as const;
  const deriving = ['replay', 'writeSlices'] as const;
  const copying = ['replay --from states', 'writeSlices'] as const;
  const catching = ['replay', 'catchUp'] as const;
  const pairs: [() => World, Process, Process][] = [
    [folds, 'replay', 'replay'],
    [projects, 'replay', 'replay --from states'],
    [folds, 'replay', 'replay cancel'],
    [folds, 'replay cancel', 'replay'],
    [folds, 'replay', 'replay resume'],
    [folds, 'replay', 'prune 2'],
    [folds, 'replay', 'switch 3'],
    [projects, 'replay --from states', 'prune 1'],
    [projects, copying, 'rollback'],
    [folds, reading, ['replay join 3', 'joinGroup']],
    [folds, reading, 'replay resume, later'],
    [folds, 'replay resume, later', reading],
    [folds, reading, 'replay cancel'],
    [folds, 'replay cancel', reading],
    ...(
      [
        [folds, deriving],
        [projects, reading],
        [projects, copying],
        [projects, catching],
      ] as const
    ).flatMap(([world, builder]): [() => World, Process, Process][] => [
      [world, builder, 'replay join 3'],
      [world, 'replay join 3', builder],
      [world, builder, 'replay resume, later'],
      [world, 'replay resume, later', builder],
      [world, builder, 'replay cancel'],
      [world, 'replay cancel', builder],
    ]),
  ];
  /** A record arrives while these processes wait for a member that may still fold. */
  const withRecord: typeof pairs = [[folds, ['replay', 'endReading'], ['replay join 3', 'readLog']]];
  for (const [world, ...processes] of [...pairs, ...withRecord]) {
    const [one, other] = processes.map((process) =>
      typeof process === 'string' ? process : `${process[0]} at ${process[1]}`,
    );
    const way = world().eventsPerListing > 1 ? '' : ', in one pass';
    it(`survives each fault at each step of ${one} beside ${other}${way}`, () => {
      const deployment = new SimulatedDeployment(world());
      const states = processes.map((process, index) => {
        const by = NAMES[index] as string;
        return typeof process === 'string'
          ? begin(process, by)
          : run(deployment, begin(process[0], by), process[1], by);
      });
      const records = withRecord.some(([, first]) => first === processes[0]) ? 1 : 0;
      // Without a fault, joining never fails, however the builders' steps interleave.
      const joins = other?.startsWith('replay join 3') || one?.startsWith('replay join 3');
      const points = explore({ world: deployment.world, states, faults: 1 - records, records }, (point) => {
        assertWhole(point.world);
        if (isOver(point)) assertContinued(point.world);
        if (point.faults === 1 - records)
          for (const state of point.states)
            if (state?.step === 'failed') {
              expect(state.error).not.to.be.instanceOf(Rejected);
              expect(joins, errorOf(state)).to.equal(false);
            }
      });
      expect(points).to.be.greaterThan(20);
    });
  }

  it('has its messages in docs/guide/rebuild.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/guide/rebuild.md'), 'utf8');
    for (const message of UNFINISHED) expect(page).to.include(`\`${message}\``);
  });

  it('counts the builder as dead after `leave` has failed, and warns', () => {
    const deployment = new SimulatedDeployment(folds());
    const reached = run(deployment, begin('replay', 'a'), 'leave', 'a');
    const end = model.next(reached, unavailable, NOW);
    expect(end.step).to.equal('done');
    expect(end.warning?.message).to.equal('could not release the lease; it expires after 15 seconds');
  });

  const refused = (world: World, from: State): string => {
    const deployment = new SimulatedDeployment(world);
    const message = errorOf(run(deployment, from));
    expect(deployment.world, 'nothing has changed').to.deep.equal(world);
    return message;
  };

  it('refuses a replay whose source cannot produce the generation', () => {
    const { live: _, ...dark } = folds();
    expect(refused(dark, begin('replay --from states', 'a'))).to.equal(
      'replay --from states requires a live generation',
    );
    const world = folds();
    world.registry.generations[0] = { ...ready(1), versions: { ...ours, states: 0 } };
    expect(refused(world, begin('replay --from states', 'a'))).to.equal(
      'the states of generation 1 have mapping version 0, but this code reads version 1. Run replay --from topic',
    );
  });

  it('refuses a builder with another topic or other versions, and accepts one that is too late', () => {
    const left = killedAt(folds(), 'replay', 'readLog', false);
    const record = unfinishedGeneration(left.registry) as GenerationRecord;
    const generations = [ready(1), ready(2), { ...record, topic_id: 'U' }];
    const recreated = { ...left, registry: { ...left.registry, generations } };
    const other = { ...ours, rules: 2 };
    const joining = { join: 3, ours, builder: builder('z', 20) };
    for (const data of [joining, { ours, builder: builder('z', 20) }]) {
      expect(refused(recreated, { step: 'readUnfinished', data })).to.match(
        /Generation 3 cannot be continued\. Run replay cancel 3, then start a new replay$/,
      );
      expect(refused(left, { step: 'readUnfinished', data: { ...data, ours: other } })).to.match(
        /^generation 3 was started with .*, but this code has .*Run replay cancel 3, then start a new replay/,
      );
    }
    const late = run(new SimulatedDeployment(left), {
      step: 'readUnfinished',
      data: { ...joining, join: 2 },
    });
    expect(late).to.deep.equal({ step: 'done', result: { generation: 2 } });
    expect(refused(left, { step: 'readUnfinished', data: { ...joining, join: 9 } })).to.match(
      /^generation 9 does not exist/,
    );
  });

  it('ends without an error if the generation becomes ready while a process is joining it', () => {
    const deployment = new SimulatedDeployment(folds());
    const main = run(deployment, begin('replay', 'a'), 'markReady', 'a');
    const joining = run(deployment, begin('replay join 3', 'b'), 'enterBuild', 'b');
    run(deployment, main, 'waitForProjector', 'a');
    const world = structuredClone(deployment.world);
    expect(run(deployment, joining, undefined, 'b')).to.deep.equal({
      step: 'done',
      result: { generation: 3 },
    });
    expect(deployment.world.registry, 'the process is not a builder').to.deep.equal(world.registry);
    // A write whose response was lost may have added the process.
    const entry = model.action(joining) as ActionOf<'updateRegistry'>;
    expect(entry.change({ ...world.registry, builders: [builder('b', 0)] }, NOW)).not.to.have.property(
      'builders',
    );
  });

  it('reads only the remaining records if the operator accepts that, and does not check the log', () => {
    const deployment = new SimulatedDeployment(folds());
    const data = { from: 'topic' as const, incompleteLog: true, ours, builder: builder('a', 0) };
    const reached = run(deployment, { step: 'planReplay', data }, 'findNumber', 'a');
    const next = model.next(reached, deployment.perform({ name: 'findLastNumber', after: 2 }), NOW);
    expect(next.step).to.equal('countSource');
    run(deployment, next, 'startBuilder', 'a');
    expect(unfinishedGeneration(deployment.world.registry)?.incomplete_log).to.equal(true);
  });

  it('stores the rate of a resumed replay, and reads the rest again until that takes less than three seconds', () => {
    const deployment = new SimulatedDeployment(killedAt(folds(), 'replay', 'readLog', false));
    const resumed = { ours, rate: 7, builder: builder('z', 20) };
    const reached = run(deployment, { step: 'readUnfinished', data: resumed }, 'catchUp', 'z');
    expect(unfinishedGeneration(deployment.world.registry)?.rate).to.equal(7);
    expect(model.next(reached, { ok: 3_001 }, NOW).step).to.equal('catchUp');
    expect(model.next(reached, { ok: 3_000 }, NOW).step).to.equal('refreshBuilt');
  });
});
