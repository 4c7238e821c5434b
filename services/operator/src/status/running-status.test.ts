import type { Builder, GenerationRecord, Registry } from '@vitrine/feed-index';
import { expect } from 'chai';
import { runningOf } from './running-status.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const builder = (secondsAgo: number): Builder => {
  const at = new Date(NOW - secondsAgo * 1_000).toISOString();
  return { id: 'a', host: 'h', pid: 1, started_at: at, seen_at: at };
};
const record = (phase: GenerationRecord['phase']): GenerationRecord => ({
  number: 2,
  phase,
  versions: { states: 1, items: 4, rules: 1 },
  created_at: '2026-11-25T11:00:00Z',
  origin: { from: 'topic' },
});
const running = (phase: GenerationRecord['phase'], builders: Builder[]) =>
  runningOf({ generations: [record(phase)], last: 2, builders } as Registry, [], NOW);

describe('status of a rebuild', () => {
  it('names the generation, and whether a builder is alive', () => {
    expect(running('folding', [builder(1)])).to.include({ generation: 2, phase: 'folding', alive: true });
    expect(running('folding', [builder(60)])).to.include({ generation: 2, alive: false });
  });

  it('shows a builder that completes a ready generation', () =>
    expect(running('ready', [builder(1)]))
      .to.include({ alive: true })
      .and.not.have.property('generation'));

  it('does not show killed builders of a rebuild that is over', () =>
    expect(running('ready', [builder(60)])).to.equal(undefined));
});
