import type { ListingEvent } from '@vitrine/listing-events';
import { expect } from 'chai';
import fc from 'fast-check';
import { HIDDEN_REASONS, RULES } from './derive-item.ts';
import { fold } from './fold.ts';
import { EMPTY_STATE } from './listing-state.ts';

const COMPLETE = {
  title: 'Casa',
  price: 100,
  location: { city: 'Curitiba' },
  url: 'https://example.com/1',
};
/** Fields that are missing, cleared, unusable or valid. */
const someFields = fc.record(
  {
    title: fc.constantFrom(null, '', ' ', '<b></b>', '\u200b', 'Casa'),
    price: fc.constantFrom(null, 0, 0.004, 100),
    location: fc.constantFrom(null, {}, { state: 'PR' }, { city: ' ' }, { city: 'Curitiba' }),
    url: fc.constantFrom(null, '', 'ftp://example.com', 'https://example.com/1'),
    images: fc.constantFrom<string[] | null>(null, ['bad'], ['https://example.com/1.jpg']),
  },
  { requiredKeys: [] },
);
const someEvent = fc.tuple(fc.integer({ min: 1, max: 6 }), someFields, fc.integer({ min: 0, max: 5 })).map(
  ([version, fields, kind]): ListingEvent =>
    kind === 0
      ? { kind: 'removed', id: 'a', version }
      : kind === 1
        ? {
            kind: 'availability_changed',
            id: 'a',
            version,
            mode: 'merge',
            dates: [{ date: '2026-12-01', available: true }],
          }
        : { kind: 'changed', id: 'a', version, time: 1_000, fields },
);

describe('the reason why a listing is hidden', () => {
  it('is the same with and without an item, for any events', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(someEvent, { maxLength: 5 }), fc.boolean(), (events, startsComplete) => {
        const state = fold(EMPTY_STATE, [
          ...(startsComplete
            ? [{ kind: 'changed', id: 'a', version: 1, time: 1_000, fields: COMPLETE } as const]
            : []),
          ...events,
        ]);
        const { hidden } = RULES.derive('a', state);
        seen.add(hidden ?? 'visible');
        expect(RULES.hiddenReason?.(state)).to.equal(hidden);
      }),
      { seed: 19, numRuns: 2_000 },
    );
    expect(seen).to.have.keys('visible', ...HIDDEN_REASONS);
  });
});
