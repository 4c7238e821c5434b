import { expect } from 'chai';
import {
  type Builder,
  type GenerationRecord,
  isAlive,
  type Registry,
  unfinishedGeneration,
  withNewBuilder,
  withNewGeneration,
  withoutBuilder,
  withoutGeneration,
} from './generation-record.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const record = (number: number, phase: GenerationRecord['phase']): GenerationRecord => ({
  number,
  phase,
  versions: { states: 1, items: 1, rules: 1 },
  created_at: at(0),
  origin: { from: 'topic' },
});
const builder = (id: string, seenAt: number): Builder => ({
  id,
  host: 'h',
  pid: 1,
  started_at: at(0),
  seen_at: at(seenAt),
});
const plan = { ...record(0, 'folding') };
const ready: Registry = { generations: [record(1, 'ready')], last: 1 };

describe('the registry', () => {
  it('gives a new generation the next number, even if the last generation was removed', () => {
    const registry = withNewGeneration(
      withoutGeneration({ ...ready, generations: [record(1, 'ready'), record(2, 'pruning')], last: 2 }, 2),
      plan,
      builder('a', 0),
    );
    expect(registry.generations.map(({ number, phase }) => [number, phase])).to.deep.equal([
      [1, 'ready'],
      [3, 'folding'],
    ]);
    expect(registry.last).to.equal(3);
    expect(registry.builder?.id).to.equal('a');
  });

  it('refuses a second replay, and reports whether the first replay is running', () => {
    const busy = withNewGeneration(ready, plan, builder('a', 0));
    expect(() => withNewGeneration(busy, plan, builder('b', 5))).to.throw(
      'a replay of generation 2 is running in process 1 on h',
    );
    expect(() => withNewGeneration(busy, plan, builder('b', 60))).to.throw(
      'generation 2 is unfinished. Run replay resume or replay cancel',
    );
    expect(() => withNewGeneration(withoutBuilder(busy), plan, builder('b', 5))).to.throw('unfinished');
  });

  it('hands over an unfinished generation only if its builder is dead or has released the lease', () => {
    const busy = withNewGeneration(ready, plan, builder('a', 0));
    expect(() => withNewBuilder(busy, builder('b', 14))).to.throw('process 1 on h is building generation 2');
    expect(withNewBuilder(busy, builder('b', 15)).builder?.id).to.equal('b');
    expect(withNewBuilder(withoutBuilder(busy), builder('b', 1)).builder?.id).to.equal('b');
    expect(() => withNewBuilder(ready, builder('b', 1))).to.throw('there is no unfinished generation');
  });

  for (const phase of ['folding', 'projecting', 'copying', 'deriving', 'following'] as const)
    it(`${phase} is unfinished`, () =>
      expect(
        unfinishedGeneration({ generations: [record(1, 'ready'), record(2, phase)], last: 2 })?.number,
      ).to.equal(2));
  for (const phase of ['creating', 'ready', 'pruning'] as const)
    it(`${phase} is not unfinished`, () =>
      expect(unfinishedGeneration({ generations: [record(1, phase)], last: 1 })).to.equal(undefined));

  it('considers a builder dead after 15 seconds without a heartbeat', () => {
    expect(isAlive(builder('a', 0), Date.parse(at(14.9)))).to.equal(true);
    expect(isAlive(builder('a', 0), Date.parse(at(15)))).to.equal(false);
  });
});
