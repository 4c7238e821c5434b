import { expect } from 'chai';
import { type GenerationRecord, unfinishedGeneration, withTopic } from './generation-record.ts';

const record = (number: number, phase: GenerationRecord['phase']): GenerationRecord => ({
  number,
  phase,
  versions: { states: 1, items: 1, rules: 1 },
  created_at: '2026-01-01T00:00:00Z',
  origin: { from: 'topic' },
});

describe('a generation in the phase', () => {
  for (const phase of ['folding', 'projecting', 'copying', 'deriving', 'following'] as const)
    it(`${phase} is unfinished`, () =>
      expect(
        unfinishedGeneration({ generations: [record(1, 'ready'), record(2, phase)], last: 2 })?.number,
      ).to.equal(2));
  for (const phase of ['creating', 'ready', 'pruning'] as const)
    it(`${phase} is not unfinished`, () =>
      expect(unfinishedGeneration({ generations: [record(1, phase)], last: 1 })).to.equal(undefined));
});

describe('the topic of a generation', () => {
  const start = { at: '2026-01-02T00:00:00Z', low: { 0: '0' } };
  const earlier = { at: '2026-01-01T00:00:00Z', low: { 0: '7' } };
  const read = { offsets: { 0: '5' }, caught_up: { checkpoint: 3, ends: { 0: '9' } } };
  const after = (changes: Partial<GenerationRecord>, number = 1) => {
    const registry = { generations: [{ ...record(1, 'ready'), ...changes }], last: 1 };
    const next = withTopic(registry, number, 'new', start);
    return { registry, next, record: next.generations[0] };
  };

  it('is recorded with its first start', () =>
    expect(after({ first_start: null }).record).to.include({ topic_id: 'new', first_start: start }));
  it('keeps the offsets of a record of release 1.1.0, because they belong to the current topic', () => {
    const { record } = after({ ...read, first_start: earlier });
    expect(record).to.deep.include({ ...read, topic_id: 'new', first_start: earlier });
  });
  it('takes the offsets of another topic with it', () => {
    const { record } = after({ ...read, topic_id: 'old', first_start: earlier });
    expect(record).to.deep.include({ topic_id: 'new', first_start: start });
    expect(record).not.to.have.any.keys('offsets', 'caught_up');
  });
  it('changes nothing if it is the same, or if the generation was pruned', () => {
    for (const { registry, next } of [after({ ...read, topic_id: 'new' }), after({ topic_id: 'old' }, 2)])
      expect(next).to.equal(registry);
  });
});
