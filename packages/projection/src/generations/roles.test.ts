import type { GenerationRecord, Phase, Registry } from '@vitrine/feed-index';
import { expect } from 'chai';
import { roleOf } from './roles.ts';

describe('roleOf', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  const record = (number: number, phase: Phase): GenerationRecord => ({
    number,
    phase,
    versions: { states: 1, items: 1, rules: 1 },
    created_at: '2026-01-01T00:00:00Z',
    origin: { from: 'topic' },
  });
  const registry = (seenAt?: string): Registry => ({
    generations: [],
    last: 1,
    ...(seenAt && { builders: [{ id: 'b', host: 'h', pid: 1, started_at: seenAt, seen_at: seenAt }] }),
  });

  it('comes from the aliases for a ready generation', () => {
    const roles = { live: 2, previous: 1 };
    expect([1, 2, 3].map((number) => roleOf(record(number, 'ready'), roles, registry(), now))).to.deep.equal([
      'previous',
      'live',
      'ready',
    ]);
  });

  it('distinguishes generations that are being pruned, being built or unfinished', () => {
    const roles = { live: 2, previous: 1 };
    expect(roleOf(record(1, 'pruning'), roles, registry(), now)).to.equal('pruning');
    for (const phase of ['folding', 'copying', 'deriving', 'following'] as const) {
      expect(roleOf(record(3, phase), roles, registry('2026-01-01T00:00:59Z'), now)).to.equal('building');
      expect(roleOf(record(3, phase), roles, registry('2026-01-01T00:00:30Z'), now)).to.equal('unfinished');
      expect(roleOf(record(3, phase), roles, registry(), now)).to.equal('unfinished');
    }
    expect(roleOf(record(1, 'creating'), {}, registry(), now)).to.equal('building');
  });
});
