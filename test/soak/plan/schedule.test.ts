import { expect } from 'chai';
import { FAULT_KINDS, FAULT_NAMES, type FaultKind, OPERATOR_STEPS } from './fault-kinds.ts';
import { COMPLETE_MINUTES, planSchedule } from './schedule.ts';

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);
const all = [...FAULT_NAMES, ...new Set<string>(OPERATOR_STEPS)];

describe('planSchedule', () => {
  it('depends on the seed and the length only', () => {
    expect(planSchedule(7, 20)).to.deep.equal(planSchedule(7, 20));
    expect(planSchedule(7, 20).faults).not.to.deep.equal(planSchedule(8, 20).faults);
  });

  it(`contains every kind from ${COMPLETE_MINUTES} minutes on, with any seed`, () => {
    for (const seed of SEEDS) {
      const { faults, operator, leftOut } = planSchedule(seed, COMPLETE_MINUTES);
      const planned = new Set<string>([...faults, ...operator].map(({ kind }) => kind));
      expect([...planned], `seed ${seed}`).to.have.members(all);
      expect(leftOut).to.deep.equal([]);
    }
  });

  it('names the kinds that a short run leaves out', () => {
    const { faults, operator, leftOut } = planSchedule(1, 3);
    const planned = [...new Set<string>([...faults, ...operator].map(({ kind }) => kind))];
    expect(leftOut).not.to.deep.equal([]);
    expect([...planned, ...leftOut]).to.have.members(all);
  });

  it('never overlaps two faults, and keeps the durations and targets of their kinds', () => {
    for (const seed of SEEDS.slice(0, 30)) {
      const { faults } = planSchedule(seed, 60);
      for (const [i, { at, kind, target, duration }] of faults.entries()) {
        const { seconds, targets, restSeconds }: FaultKind = FAULT_KINDS[kind];
        expect(duration).to.be.within(...seconds);
        expect(target).to.be.within(Math.min(1, targets), targets);
        expect((faults[i + 1]?.at ?? Infinity) - at).to.be.at.least(duration + restSeconds);
        expect(at + duration).to.be.below(60 * 60);
      }
    }
  });

  it('ends no process of the last services after the first eighth', () => {
    const late = SEEDS.flatMap((seed) => planSchedule(seed, 60).faults.filter(({ at }) => at > 7.5 * 60));
    const ended = late.filter(({ kind }) => /^(kill|terminate)-(projector|query)$/.test(kind));
    expect(ended).not.to.deep.equal([]);
    expect(ended.filter(({ target }) => target !== 1)).to.deep.equal([]);
  });
});
