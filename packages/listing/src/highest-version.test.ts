import { expect } from 'chai';
import { highestVersion } from './highest-version.ts';
import { EMPTY_STATE, HIDDEN } from './listing-state.ts';

describe('the highest version of a listing', () => {
  it('is absent if no event has set anything', () => {
    expect(highestVersion(EMPTY_STATE)).to.equal(undefined);
  });

  it('can belong to a removal, a replacement, a field or a date', () => {
    const state = { ...EMPTY_STATE, removed: 1, replaced: 2, fields: {}, dates: {} };
    expect(highestVersion({ ...state, removed: 9 })).to.equal(9);
    expect(highestVersion({ ...state, replaced: 9 })).to.equal(9);
    expect(highestVersion({ ...state, fields: { price: [9, 100], title: [3, 'Casa'] } })).to.equal(9);
    expect(highestVersion({ ...state, dates: { '2026-11-25': [9, true], '2026-11-26': HIDDEN } })).to.equal(
      9,
    );
  });

  it('is the one with the highest epoch, whatever its number is', () => {
    const state = { ...EMPTY_STATE, removed: Number.MAX_SAFE_INTEGER, replaced: [1, 7] as const };
    expect(highestVersion({ ...state, fields: { title: [[2, 3], 'Casa'] } })).to.deep.equal([2, 3]);
  });
});
