import { expect } from 'chai';
import { type GenerationRecord, unfinishedGeneration } from './generation-record.ts';

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
