import { expect } from 'chai';
import {
  activeBuilders,
  isAlive,
  withJoiningBuilder,
  withLostBuilders,
  withNewGeneration,
  withoutBuilder,
  withResumingBuilder,
} from './builders.ts';
import {
  type Builder,
  type GenerationRecord,
  type Registry,
  withChanges,
  withoutGeneration,
} from './generation-record.ts';
import type { Scan } from './scan-slices.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const record = (number: number, phase: GenerationRecord['phase']): GenerationRecord => ({
  number,
  phase,
  versions: { states: 1, items: 1, rules: 1 },
  created_at: at(0),
  origin: { from: 'topic' },
});
const builder = (id: string, seenAt = 0): Builder => ({
  id,
  host: 'h',
  pid: 1,
  started_at: at(0),
  seen_at: at(seenAt),
});
const plan = { ...record(0, 'deriving') };
const ready: Registry = { generations: [record(1, 'ready')], last: 1 };
const ids = (registry: Registry) => activeBuilders(registry).map(({ id }) => id);

describe('the builders of a generation', () => {
  const one = withNewGeneration(ready, plan, builder('a'));
  const two = withJoiningBuilder(one, 2, builder('b', 5));

  it('begin with the process that adds the generation, under the next number', () => {
    const registry = withNewGeneration(
      withoutGeneration({ generations: [record(1, 'ready'), record(2, 'pruning')], last: 2 }, 2),
      plan,
      builder('a'),
    );
    expect(registry.generations.map(({ number }) => number)).to.deep.equal([1, 3]);
    expect(registry.last).to.equal(3);
    expect(ids(registry)).to.deep.equal(['a']);
  });

  it('refuse a second replay, which reports whether the first one is running', () => {
    expect(() => withNewGeneration(one, plan, builder('b', 5))).to.throw(
      'a replay of generation 2 is running in process 1 on h',
    );
    expect(() => withNewGeneration(one, plan, builder('b', 60))).to.throw(
      'generation 2 is unfinished. Run replay resume 2 or replay cancel 2',
    );
    expect(() => withNewGeneration(withoutBuilder(one, 'a'), plan, builder('b', 5))).to.throw('unfinished');
    const removed = { ...one, generations: [record(1, 'ready'), record(2, 'pruning')] };
    expect(() => withNewGeneration(removed, plan, builder('b', 5))).to.throw(
      'process 1 on h has not left an earlier generation yet. Run the command again later',
    );
    expect(ids(withNewGeneration(removed, plan, builder('b', 60)))).to.deep.equal(['b']);
  });

  it('are replaced by a resuming builder only if all are dead or have left', () => {
    const message = 'process 1 on h is building generation 2. Run replay join 2 to add a builder';
    expect(() => withResumingBuilder(one, builder('c', 14))).to.throw(message);
    expect(() => withResumingBuilder(two, builder('c', 16))).to.throw(message);
    const resumed = withResumingBuilder(two, builder('c', 20));
    expect(ids(resumed)).to.deep.equal(['c']);
    expect(resumed.builders?.map(({ id, lost }) => [id, lost?.at])).to.deep.equal([
      ['a', at(20)],
      ['b', at(20)],
      ['c', undefined],
    ]);
    expect(ids(withResumingBuilder(withoutBuilder(one, 'a'), builder('b', 1)))).to.deep.equal(['b']);
    expect(() => withResumingBuilder(ready, builder('b'))).to.throw('there is no unfinished generation');
    expect(ids(withResumingBuilder(two, builder('c', 20), 2))).to.deep.equal(['c']);
    expect(() => withResumingBuilder(two, builder('c', 20), 1)).to.throw(
      'generation 1 is not under construction; generation 2 is',
    );
  });

  it('accept others only while their generation is under construction', () => {
    expect(ids(two)).to.deep.equal(['a', 'b']);
    expect(() => withJoiningBuilder(one, 1, builder('b'))).to.throw(
      'generation 1 is not under construction; generation 2 is',
    );
    expect(() => withJoiningBuilder(ready, 1, builder('b'))).to.throw('generation 1 is not under');
  });

  it('stay in the registry when they are lost, until the last one leaves the finished generation', () => {
    const lost = withLostBuilders(two, ['a'], builder('b'), at(30));
    expect(lost.builders?.find(({ id }) => id === 'a')?.lost).to.deep.equal({
      at: at(30),
      host: 'h',
      pid: 1,
    });
    expect(withoutBuilder(lost, 'a').builders).to.deep.equal(lost.builders);
    expect(withoutBuilder(lost, 'b').builders?.map(({ id }) => id)).to.deep.equal(['a']);
    const finished = withChanges(withChanges(lost, 2, { phase: 'following' }), 2, { phase: 'ready' });
    expect(withoutBuilder(finished, 'b')).not.to.have.property('builders');
  });

  it('free their slices when they leave and when they are lost', () => {
    const scan: Scan = {
      total: 10,
      writer: 'w',
      slices: [
        { shard: '0', after: 4, last: 9, states: 5, builder: 'a' },
        { shard: '0', after: 9, last: 19, states: 0, builder: 'b' },
      ],
    };
    const scanning = withChanges(two, 2, { scan });
    const owners = (registry: Registry) =>
      registry.generations.at(-1)?.scan?.slices.map(({ builder, lost }) => builder ?? lost ?? 'free');
    expect(owners(withoutBuilder(scanning, 'a'))).to.deep.equal(['free', 'b']);
    expect(owners(withLostBuilders(scanning, ['a'], builder('b'), at(30)))).to.deep.equal([['a'], 'b']);
    expect(owners(withResumingBuilder(scanning, builder('c', 40)))).to.deep.equal([['a'], ['b']]);
  });

  it('count as dead 15 seconds after their last heartbeat, and when they are lost', () => {
    expect(isAlive(builder('a'), Date.parse(at(14.9)))).to.equal(true);
    expect(isAlive(builder('a'), Date.parse(at(15)))).to.equal(false);
    expect(isAlive({ ...builder('a'), lost: { at: at(1), host: 'h', pid: 1 } }, Date.parse(at(1)))).to.equal(
      false,
    );
  });
});
