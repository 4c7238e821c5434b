import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  EMPTY_HISTORY,
  epochAfterLoss,
  GenerationError,
  type GenerationRecord,
  type Transition,
} from '@vitrine/feed-index';
import { expect } from 'chai';
import { DURABLE } from './action.ts';
import { errorOf, explore, isOver, model, NOW, type Point, run, unavailable } from './exploration.test.ts';
import { STEP_NAMES } from './model.ts';
import { SimulatedDeployment } from './simulated-deployment.test.ts';
import type { State, StepName } from './state.ts';
import { NO_BUILDS, type World } from './world.test.ts';

const at = new Date(NOW).toISOString();
const options = { allowedDifferences: 0, allowExplained: false, maxVerificationAge: 3_600_000 };

const generation = (number: number, against?: number): GenerationRecord => ({
  number,
  phase: 'ready',
  versions: { states: 1, items: 2, changes: 1, rules: 1 },
  created_at: at,
  origin: { from: 'topic' },
  ...(against !== undefined && {
    verification: { against, at, compared: 9, explained: 0, unexplained: 0, changes: { live: 4, own: 7 } },
  }),
});

/** Generation 1 is live; 2 and 3 are ready and verified. */
const before = (): World => ({
  now: NOW,
  registry: { generations: [generation(1), generation(2, 1), generation(3, 1)], last: 3 },
  live: 1,
  epoch: { epoch: 1, generation: 1 },
  history: EMPTY_HISTORY,
  indices: [1, 2, 3].flatMap((number) => [`items ${number}`, `changes ${number}`]),
  groups: [1, 2, 3],
  closed: [],
  lifted: [],
  ...NO_BUILDS,
});

/** A switch from 1 to 2 has moved the aliases and then ended. */
const interrupted = (): World => {
  const transition: Transition = {
    epoch: 2,
    generation: 2,
    at,
    after: { epoch: 1, generation: 1 },
    handover: { from: 10, to: 20 },
    base: { from: 4, to: 7 },
  };
  return {
    ...before(),
    live: 2,
    previous: 1,
    epoch: { epoch: 2, generation: 2 },
    history: { transitions: [transition], kept: [] },
  };
};

const building = (): World => {
  const { registry, ...world } = before();
  const generations: GenerationRecord[] = [...registry.generations, { ...generation(4), phase: 'folding' }];
  return {
    ...world,
    registry: { generations, last: 4 },
    indices: [...world.indices, 'items 4', 'changes 4'],
    groups: [...world.groups, 4],
  };
};

const commands = {
  'switch 2': { step: 'readRegistry', data: { command: 'switch', requested: 2, options } },
  'switch 3': { step: 'readRegistry', data: { command: 'switch', requested: 3, options } },
  rollback: { step: 'readRegistry', data: { command: 'rollback', requested: undefined } },
  'prune 1': { step: 'readRoles', data: { number: 1 } },
  'prune 2': { step: 'readRoles', data: { number: 2 } },
  'prune 3': { step: 'readRoles', data: { number: 3 } },
  'replay cancel': { step: 'cancel', data: {} },
  'replay cancel 4': { step: 'cancel', data: { number: 4 } },
} as const;
type CommandName = keyof typeof commands;

const begin = (name: CommandName, mark: string): State => {
  const { step, data } = commands[name];
  return { step, data: { ...data, mark } } as State;
};

/** What holds at every moment, whatever has failed. */
function assertReadable({ registry, live, epoch, history, indices }: World): void {
  const record = registry.generations.find(({ number }) => number === live);
  expect(['ready', 'pruning'], 'the live generation is complete').to.include(record?.phase);
  const epochs = history.transitions.map((one) => one.epoch);
  expect(new Set(epochs).size, 'no two switches have one epoch').to.equal(epochs.length);
  expect(indices, 'the live items exist').to.include(`items ${live}`);
  expect(epoch?.generation, 'readers and followers see one generation').to.equal(live);
  for (const { number } of registry.generations.filter(({ phase }) => phase === 'ready'))
    expect(indices, 'a ready generation is whole').to.include(`items ${number}`);
}

/** What the documented commands reach after everything has stopped. */
function assertRepairable(world: World): void {
  const deployment = new SimulatedDeployment({ ...world, now: world.now + 61_000 });
  deployment.arrive();
  const { live } = deployment.world;
  const again = run(deployment, {
    step: 'readRegistry',
    data: { command: 'switch', requested: live, options, mark: 'again' },
  });
  expect(again.step, errorOf(again)).to.equal('done');
  const { history, epoch, lifted } = deployment.world;
  const last = history.transitions.find((one) => one.epoch === epoch?.epoch);
  if (last?.handover) {
    expect(last.completed, 'the handover is complete').to.equal(true);
    expect(lifted, 'no follower misses an entry').to.include(last.epoch);
  }
  for (const { number, phase } of deployment.world.registry.generations) {
    if (phase !== 'pruning') continue;
    const pruned = run(deployment, { step: 'readRoles', data: { number } });
    if (number === live) expect(errorOf(pruned)).to.match(/is live\. Switch to another generation first/);
    else {
      expect(pruned.step, errorOf(pruned)).to.equal('done');
      expect(deployment.world.indices).to.not.include(`items ${number}`);
      expect(deployment.world.groups).to.not.include(number);
    }
  }
  assertReadable(deployment.world);
  const record = deployment.world.registry.generations.find(({ number }) => number === live);
  expect(record?.phase, 'projectors write the live generation').to.equal('ready');
  expect(deployment.world.closed, 'projectors can write the live generation').to.not.include(live);
}

describe('the machine of switch, rollback, prune and cancel', function () {
  // A busy machine may take this long. The time is no measurement.
  this.timeout(120_000);
  const pairs: [() => World, CommandName, CommandName][] = [
    [before, 'switch 2', 'switch 2'],
    [before, 'switch 2', 'switch 3'],
    [before, 'switch 2', 'prune 2'],
    [before, 'prune 2', 'switch 2'],
    [before, 'switch 2', 'prune 3'],
    [before, 'prune 2', 'prune 2'],
    [interrupted, 'rollback', 'rollback'],
    [interrupted, 'rollback', 'prune 1'],
    [interrupted, 'prune 1', 'rollback'],
    [interrupted, 'rollback', 'switch 2'],
    [interrupted, 'switch 2', 'rollback'],
    [interrupted, 'switch 2', 'prune 1'],
    [interrupted, 'prune 1', 'switch 2'],
    [building, 'replay cancel', 'replay cancel'],
    [building, 'replay cancel 4', 'replay cancel 4'],
    [building, 'replay cancel', 'switch 2'],
    [building, 'switch 2', 'replay cancel'],
  ];
  for (const [world, one, other] of pairs)
    it(`survives each fault at each step of ${one} beside ${other}`, () => {
      const first: Point = { world: world(), states: [begin(one, 'a'), begin(other, 'b')], faults: 1 };
      const points = explore(first, (point) => {
        assertReadable(point.world);
        if (isOver(point)) assertRepairable(point.world);
      });
      expect(points).to.be.greaterThan(100);
    });

  it('has a row for each step, and the effect of each action, in docs/guide/rebuild.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/guide/rebuild.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    for (const step of STEP_NAMES)
      expect(
        rows.some((row) => row.includes(`\`${step}\``)),
        step,
      ).to.equal(true);
    for (const [action, effect] of Object.entries(DURABLE))
      if (effect !== 'nothing') expect(rows).to.include(`| \`${action}\` | ${effect} |`);
  });

  it('completes each command that nothing disturbs', () => {
    for (const [world, name, live] of [
      [before, 'switch 2', 2],
      [interrupted, 'rollback', 1],
      [interrupted, 'prune 1', 2],
      [building, 'replay cancel', 1],
    ] as const) {
      const deployment = new SimulatedDeployment(world());
      const state = run(deployment, begin(name, 'a'));
      expect(state.step, errorOf(state)).to.equal('done');
      expect(deployment.world.live).to.equal(live);
      expect(deployment.world.registry.switching, 'no mark stays').to.equal(undefined);
    }
  });

  it("reuses no earlier generation's epoch if the live changes index and its epoch are lost", () => {
    const { epoch: _, ...world } = before();
    const deployment = new SimulatedDeployment(world);
    run(deployment, begin('switch 2', 'a'));
    expect(deployment.world.epoch).to.deep.equal({ epoch: epochAfterLoss(3, NOW), generation: 2 });
  });

  it('completes an interrupted cancel when it is repeated', () => {
    const deployment = new SimulatedDeployment(building());
    run(deployment, begin('replay cancel', 'a'), 'waitForGroup');
    expect(run(deployment, begin('replay cancel', 'b')).step).to.equal('done');
    expect(deployment.world.registry.generations.map(({ number }) => number)).not.to.include(4);
    expect(errorOf(run(deployment, begin('replay cancel', 'c')))).to.contain(
      'there is no unfinished generation',
    );
  });

  it('cancels only the generation with the given number', () => {
    const deployment = new SimulatedDeployment(building());
    run(deployment, begin('replay cancel 4', 'a'), 'waitForGroup');
    const { registry, ...world } = deployment.world;
    const newer: GenerationRecord = { ...generation(5), phase: 'folding' };
    const builders = [{ id: 'c', host: 'h', pid: 1, started_at: at, seen_at: at }];
    const next = { generations: [...registry.generations, newer], last: 5, builders };
    const later = new SimulatedDeployment({ ...world, registry: next });
    // The command does not wait for the builders of the newer generation.
    expect(run(later, begin('replay cancel 4', 'b')).step).to.equal('done');
    expect(errorOf(run(later, begin('replay cancel 4', 'c')))).to.contain('generation 4 does not exist');
    expect(later.world.registry.generations.at(-1)).to.deep.equal(newer);
    const complete: State = { step: 'cancel', data: { number: 2 } };
    expect(errorOf(run(later, complete))).to.contain('generation 2 is not under construction');
  });

  it('requires no verification if the states of the live generation are lost', () => {
    const { registry, ...world } = before();
    const generations = registry.generations.map(({ verification: _, ...record }) => record);
    const unverified = { ...world, registry: { ...registry, generations } };
    expect(errorOf(run(new SimulatedDeployment(unverified), begin('switch 2', 'a')))).to.contain(
      'Run verify 2',
    );
    const damaged = new SimulatedDeployment({ ...unverified, lostStates: true });
    expect(run(damaged, begin('switch 2', 'a')).step).to.equal('done');
  });

  it('keeps the changes of a generation that was live, and deletes those of one that never was', () => {
    const deployment = new SimulatedDeployment(interrupted());
    run(deployment, begin('prune 1', 'a'));
    run(deployment, begin('prune 3', 'a'));
    expect(deployment.world.indices).to.deep.equal(['changes 1', 'items 2', 'changes 2']);
    expect(deployment.world.history.kept.map(({ generation: kept }) => kept)).to.deep.equal([1]);
    deployment.world.now += 31 * 24 * 60 * 60 * 1_000;
    run(deployment, { step: 'readExpired', data: {} });
    expect(deployment.world.indices).to.deep.equal(['items 2', 'changes 2']);
  });

  it('tells the operator which command completes the work, by the step that failed', () => {
    const messages: [StepName, RegExp][] = [
      ['measureLag', /^no connection$/],
      ['takeMarks', /^no connection$/],
      ['confirmMark', /^no connection$/],
      ['moveAliases', /Generation 2 may be live already\. Run switch 2 to complete the switch$/],
      ['releaseMark', /Generation 2 may be live already\. Run switch 2 to complete the switch$/],
      ['liftEntries', /Generation 2 is live, but the switch is not complete.*Run switch 2 to complete it$/],
      [
        'recordHandover',
        /Generation 2 is live, but the switch is not complete.*Run switch 2 to complete it$/,
      ],
      ['readExpired', /Generation 2 is live, but the switch is not complete.*Run switch 2 to complete it$/],
    ];
    for (const [step, message] of messages) {
      const deployment = new SimulatedDeployment(before());
      const reached = run(deployment, begin('switch 2', 'a'), step);
      const ended = run(deployment, model.next(reached, unavailable, deployment.world.now));
      expect(errorOf(ended), step).to.match(message);
    }
  });

  it('refuses a switch without a valid verification, and says which command repairs it', () => {
    const refusals: [Partial<NonNullable<GenerationRecord['verification']>> | undefined, RegExp][] = [
      [undefined, /has no verification result\. Run verify 2/],
      [{ against: 3 }, /was compared with generation 3, but generation 1 is live now\. Run verify 2/],
      [{ at: new Date(NOW - 3_600_001).toISOString() }, /is too old/],
      [{ explained: 1 }, /differs from generation 1 in 1 of 9 items .*Use --allow-explained/],
      [
        { unexplained: 1, explained: 1 },
        /in 2 of 9 items .*The limit is 0\. Read the report of verify 2\..* use --allow-diff 2$/,
      ],
    ];
    for (const [change, message] of refusals) {
      const world = before();
      const [, second] = world.registry.generations as [unknown, GenerationRecord];
      const { verification, ...rest } = second;
      world.registry.generations[1] = change
        ? { ...rest, verification: { ...(verification as NonNullable<typeof verification>), ...change } }
        : rest;
      const ended = run(new SimulatedDeployment(world), begin('switch 2', 'a'));
      expect(errorOf(ended)).to.match(message);
      expect(ended.step === 'failed' && ended.error).to.be.instanceOf(GenerationError);
    }
  });

  it('refuses a generation that is too far behind, and leaves no mark', () => {
    const deployment = new SimulatedDeployment({ ...before(), behind: { 2: 1_001 } });
    expect(errorOf(run(deployment, begin('switch 2', 'a')))).to.match(/generation 2 is 1001 records behind/);
    expect(deployment.world.registry.switching).to.equal(undefined);
    expect(deployment.world.live).to.equal(1);
  });

  it('refuses a prune of a generation that is about to become live', () => {
    const deployment = new SimulatedDeployment(before());
    run(deployment, begin('switch 2', 'a'), 'moveAliases');
    expect(errorOf(run(deployment, begin('prune 2', 'b')))).to.match(/a switch is making generation 2 live/);
  });

  it('switches nothing after a pause in which another command has taken the mark', () => {
    const deployment = new SimulatedDeployment(before());
    const paused = run(deployment, begin('switch 2', 'a'), 'confirmMark');
    deployment.world.now += 61_000;
    run(deployment, begin('switch 3', 'b'), 'moveAliases');
    expect(errorOf(run(deployment, paused))).to.match(/lost its mark on generation 2 .*Nothing was switched/);
    expect(deployment.world.live).to.equal(1);
    expect(deployment.world.registry.switching?.id, 'the mark of the other command stays').to.equal('b');
  });

  it('refuses a generation that is not complete, even if no generation is live', () => {
    const { live: _, epoch: __, ...world } = before();
    const [first, second, third] = world.registry.generations as GenerationRecord[];
    for (const [phase, message] of [
      ['folding', /generation 2 is not ready; its phase is folding/],
      ['pruning', /generation 2 cannot become live, because a prune is removing it/],
    ] as const) {
      const generations = [first, { ...second, phase }, third] as GenerationRecord[];
      const deployment = new SimulatedDeployment({ ...world, registry: { generations, last: 3 } });
      expect(errorOf(run(deployment, begin('switch 2', 'a')))).to.match(message);
      expect(deployment.world.live).to.equal(undefined);
    }
  });

  it('refuses a rollback without a previous generation, or to another one', () => {
    const first = new SimulatedDeployment(before());
    expect(errorOf(run(first, begin('rollback', 'a')))).to.match(/no previous generation exists/);
    const { step, data } = commands.rollback;
    const toThree = { step, data: { ...data, requested: 3, mark: 'a' } } as State;
    const deployment = new SimulatedDeployment(interrupted());
    expect(errorOf(run(deployment, toThree))).to.match(
      /generation 3 is not the previous generation, which is 1/,
    );
    expect(deployment.world.live).to.equal(2);
  });

  it('refuses a prune of a generation that is live, under construction, or the source of a replay', () => {
    const live = new SimulatedDeployment(before());
    expect(errorOf(run(live, begin('prune 1', 'a')))).to.match(/generation 1 is live/);
    const { registry, ...world } = building();
    const fourth = registry.generations[3] as GenerationRecord;
    for (const [change, message] of [
      [{}, /generation 2 is under construction/],
      [
        { phase: 'copying', origin: { from: 'states', of: 2 } },
        /a replay is reading the states of generation 2/,
      ],
    ] as const) {
      const generations = registry.generations.slice(0, 3);
      if ('phase' in change) generations.push({ ...fourth, ...change });
      else generations[1] = { ...(generations[1] as GenerationRecord), phase: 'folding' };
      const deployment = new SimulatedDeployment({ ...world, registry: { ...registry, generations } });
      expect(errorOf(run(deployment, begin('prune 2', 'a')))).to.match(message);
      expect(deployment.world.indices).to.include('items 2');
    }
  });

  it('needs no verification and no marks if no generation is live', () => {
    const { live: _, epoch: __, ...world } = before();
    const deployment = new SimulatedDeployment(world);
    const ended = run(deployment, begin('switch 3', 'a'));
    expect(ended).to.deep.equal({ step: 'done', result: { to: 3 } });
    expect(deployment.world.history.transitions[0]?.handover).to.equal(undefined);
  });

  it('parks the epoch of the changes before a generation without a changes index, and continues it later', () => {
    const world = interrupted();
    const [first] = world.registry.generations as [GenerationRecord];
    const { changes: _, ...versions } = first.versions;
    world.registry.generations[0] = { ...first, versions };
    const deployment = new SimulatedDeployment(world);
    run(deployment, begin('rollback', 'a'));
    expect(deployment.world.history.parked).to.deep.equal({ epoch: 2, generation: 2 });
    expect(deployment.world.epoch).to.equal(undefined);
  });

  it('continues without the last handover during a rollback, because one of its indices may be broken', () => {
    const deployment = new SimulatedDeployment(interrupted());
    const reached = run(deployment, begin('rollback', 'a'), 'liftEntries');
    const next = model.next(reached, unavailable, NOW);
    expect([next.step, next.warning?.message]).to.deep.equal([
      'readEpoch',
      'followers that are behind may miss the last changes before the previous switch',
    ]);
    expect(run(deployment, next).step).to.equal('done');
  });
});
