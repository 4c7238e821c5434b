import type {
  CalendarDate,
  FieldChanges,
  ListingEvent,
  ListingFields,
  Version,
} from '@vitrine/listing-events';
import { expect } from 'chai';
import fc from 'fast-check';
import { fold } from './fold.ts';
import { EMPTY_STATE, HIDDEN, type ListingState, MAX_DATES } from './listing-state.ts';

const changed = (version: Version, fields: FieldChanges, time = 0): ListingEvent => ({
  kind: 'changed',
  id: 'a',
  version,
  time,
  fields,
});
const merge = (version: Version, ...dates: CalendarDate[]): ListingEvent => ({
  kind: 'availability_changed',
  id: 'a',
  version,
  mode: 'merge',
  dates,
});
const replace = (version: Version, ...dates: CalendarDate[]): ListingEvent => ({
  kind: 'availability_changed',
  id: 'a',
  version,
  mode: 'replace',
  dates,
});
const removed = (version: Version): ListingEvent => ({ kind: 'removed', id: 'a', version });
const open = (date: string, price?: number): CalendarDate => ({
  date,
  available: true,
  ...(price !== undefined && { price }),
});

/**
 * Folds the events in the given order, in the opposite order, twice, and one by one. All results must be
 * equal.
 */
function folded(...events: ListingEvent[]): ListingState {
  const state = fold(EMPTY_STATE, events);
  expect(fold(EMPTY_STATE, events.toReversed()), 'in the opposite order').to.deep.equal(state);
  expect(fold(state, events), 'again').to.deep.equal(state);
  expect(
    events.reduce((state, event) => fold(state, [event]), EMPTY_STATE),
    'one by one',
  ).to.deep.equal(state);
  return state;
}

describe('fold', () => {
  it('keeps the highest version of each field', () => {
    expect(folded(changed(1, { title: 'old', price: 1 }), changed(2, { title: 'new' })).fields).to.deep.equal(
      { title: [2, 'new'], price: [1, 1] },
    );
  });
  it('compares versions by epoch and then by number, for fields, dates, removals and replacements', () => {
    const burned = Number.MAX_SAFE_INTEGER;
    const [first, second] = ['2026-01-01', '2026-01-02'];
    expect(folded(changed(burned, { price: 1 }), changed([1, 1], { price: 2 })).fields.price).to.deep.equal([
      [1, 1],
      2,
    ]);
    expect(
      folded(changed([1, 9], { price: 1 }), changed([1, 10], { price: 2 }), changed([1, 10], { price: 3 }))
        .fields.price,
    ).to.deep.equal([[1, 10], 3]);
    expect(folded(merge(burned, open(first, 1)), merge([1, 1], open(first, 2))).dates).to.deep.equal({
      [first]: [[1, 1], true, 2],
    });
    expect(folded(removed([1, 1]), changed(burned, { price: 1 }), removed(burned))).to.deep.include({
      removed: [1, 1],
      fields: {},
    });
    expect(folded(removed(burned), changed([1, 1], { price: 1 })).fields.price).to.deep.equal([[1, 1], 1]);
    expect(folded(replace([2, 1], open(first)), merge([1, 9], open(second)))).to.deep.include({
      replaced: [2, 1],
      dates: { [first]: [[2, 1], true], [second]: HIDDEN },
    });
  });
  it('continues the states of release 1.1.0, which have no epochs', () => {
    const stored = JSON.parse(
      '{"removed":2,"replaced":3,"first_seen":5,"fields":{"title":[4,"a"],"price":[9,1]},' +
        '"dates":{"2026-01-01":[3,true,80],"2026-01-02":0}}',
    ) as ListingState;
    expect(fold(stored, [])).to.deep.equal(stored);
    expect(
      fold(stored, [changed(5, { title: 'b', price: 2 }, 7), changed([1, 1], { price: 3 }, 8)]),
    ).to.deep.include({ removed: 2, first_seen: 5, fields: { title: [5, 'b'], price: [[1, 1], 3] } });
    expect(fold(stored, [removed([1, 1])])).to.deep.include({ removed: [1, 1], fields: {} });
  });
  it('clears a field with null, and ignores an older value afterwards', () =>
    expect(folded(changed(2, { title: null }), changed(1, { title: 'old' })).fields).to.deep.equal({
      title: [2, null],
    }));
  it('sets the location as one field', () =>
    expect(
      folded(changed(1, { location: { city: 'A', state: 'B' } }), changed(2, { location: { city: 'C' } }))
        .fields,
    ).to.deep.equal({
      location: [2, { city: 'C' }],
    }));
  it('two values under one version: the greater canonical JSON wins', () => {
    expect(folded(changed(1, { title: 'a' }), changed(1, { title: 'b' })).fields.title).to.deep.equal([
      1,
      'b',
    ]);
    expect(
      folded(
        changed(1, { location: { state: 'x', city: 'a' } }),
        changed(1, { location: { city: 'b', state: 'a' } }),
      ).fields.location,
    ).to.deep.equal([1, { city: 'b', state: 'a' }]);
  });
  it('hides every field and date whose version is not above the removal', () => {
    const state = folded(
      changed(1, { title: 'a' }),
      changed(2, { price: 1 }),
      changed(3, { url: 'u' }),
      merge(2, open('2026-01-01')),
      removed(2),
    );
    expect(state).to.deep.include({ removed: 2, fields: { url: [3, 'u'] }, dates: { '2026-01-01': HIDDEN } });
  });
  it('restores nothing from a late event at or below a removal, but counts its time', () => {
    expect(folded(removed(5), changed(5, { title: 'late' }, 1000))).to.deep.equal({
      removed: 5,
      replaced: 0,
      first_seen: 1000,
      last_time: 1000,
      fields: {},
      dates: {},
    });
  });
  it('keeps the newer of two removals', () => expect(folded(removed(5), removed(3)).removed).to.equal(5));
  it('hides the dates below a replacement, but not the dates at its version', () => {
    const state = folded(
      merge(1, open('2026-01-01')),
      merge(2, open('2026-01-02')),
      replace(2, open('2026-01-03')),
      merge(3, open('2026-01-04')),
    );
    expect(state.dates).to.deep.equal({
      '2026-01-01': HIDDEN,
      '2026-01-02': [2, true],
      '2026-01-03': [2, true],
      '2026-01-04': [3, true],
    });
  });
  it('an empty replacement empties the calendar', () =>
    expect(folded(merge(1, open('2026-01-01')), replace(2)).dates).to.deep.equal({ '2026-01-01': HIDDEN }));
  it('sets a hidden date again at a higher version', () =>
    expect(
      folded(merge(1, open('2026-01-01')), replace(2), merge(3, open('2026-01-01', 5))).dates,
    ).to.deep.equal({ '2026-01-01': [3, true, 5] }));
  it('one date twice in one event: the greater canonical JSON wins', () =>
    expect(
      folded(
        merge(1, { date: '2026-01-01', available: true, price: 5 }, { date: '2026-01-01', available: false }),
      ).dates,
    ).to.deep.equal({
      '2026-01-01': [1, true, 5],
    }));
  it('treats a price of null as absent', () =>
    expect(folded(merge(1, { date: '2026-01-01', available: true, price: null })).dates).to.deep.equal({
      '2026-01-01': [1, true],
    }));
  it('keeps the earliest and the latest time, even from events that change nothing', () => {
    const times = { first_seen: 1000, last_time: 2000 };
    expect(folded(changed(2, { title: 'b' }, 2000), changed(1, { title: 'a' }, 1000))).to.include(times);
    expect(folded(changed(2, { title: 'b' }, 1000), changed(1, { title: 'a' }, 2000))).to.include(times);
  });
  it('ignores a tombstone for the earliest time, because a tombstone has no time', () =>
    expect(folded(removed(1))).to.not.have.property('first_seen'));
  it('replaces the calendar only with a snapshot that has a calendar', () => {
    const snapshot = (version: number, dates?: CalendarDate[]): ListingEvent => ({
      kind: 'snapshot',
      id: 'a',
      version,
      time: 0,
      fields: { title: 't' },
      ...(dates && { dates }),
    });
    expect(folded(merge(1, open('2026-01-01')), snapshot(2)).dates).to.deep.equal({
      '2026-01-01': [1, true],
    });
    expect(folded(merge(1, open('2026-01-01')), snapshot(2, [])).dates).to.deep.equal({
      '2026-01-01': HIDDEN,
    });
  });
  it('keeps only the latest dates, in any order of events', () => {
    const day = (n: number) => new Date(n * 86_400_000).toISOString().slice(0, 10);
    const events = [0, 1, 2, 3].map((i) =>
      merge(i + 1, ...Array.from({ length: 1000 }, (_, n) => open(day(i * 1000 + n)))),
    );
    const { dates } = folded(...events);
    expect(Object.keys(dates))
      .to.have.length(MAX_DATES)
      .and.include(day(3999))
      .and.include(day(4000 - MAX_DATES))
      .and.not.include(day(4000 - MAX_DATES - 1));
  });
  it('does not change the given state', () => {
    const state = fold(EMPTY_STATE, [changed(1, { title: 'a' }), merge(1, open('2026-01-01'))]);
    const before = structuredClone(state);
    fold(state, [changed(2, { title: 'b' }), replace(2), removed(3)]);
    expect(state).to.deep.equal(before);
  });
});

describe('fold, for any history', () => {
  // There are few versions, values and dates, so that ties, removals and replacements occur together.
  const version = fc.integer({ min: 1, max: 6 });
  const time = fc.integer({ min: 0, max: 5 });
  const fields = fc.record(
    {
      title: fc.constantFrom('a', 'b', '', null),
      price: fc.constantFrom(0, 1, 2.5, null),
      location: fc.constantFrom<ListingFields['location'] | null>(
        { city: 'x' },
        { city: 'x', state: null },
        { city: 'y', lat: 1, lng: 2 },
        null,
      ),
      images: fc.constantFrom<string[] | null>(['u'], [], null),
    },
    { requiredKeys: [] },
  );
  const dates = fc.array(
    fc
      .record({
        date: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03'),
        available: fc.boolean(),
        price: fc.constantFrom(undefined, null, 1, 2),
      })
      .map(({ price, ...date }): CalendarDate => ({ ...date, ...(price !== undefined && { price }) })),
    { maxLength: 4 },
  );
  const event: fc.Arbitrary<ListingEvent> = fc.oneof(
    fc.record({ kind: fc.constant('changed' as const), id: fc.constant('a'), version, time, fields }),
    fc.record({ kind: fc.constant('snapshot' as const), id: fc.constant('a'), version, time, fields, dates }),
    fc.record({ kind: fc.constant('snapshot' as const), id: fc.constant('a'), version, time, fields }),
    fc.record({
      kind: fc.constant('availability_changed' as const),
      id: fc.constant('a'),
      version,
      time,
      mode: fc.constantFrom('merge' as const, 'replace' as const),
      dates,
    }),
    fc.record({ kind: fc.constant('removed' as const), id: fc.constant('a'), version, time }),
    fc.record({ kind: fc.constant('removed' as const), id: fc.constant('a'), version }),
  );
  /** The same events in two orders, each divided into random batches, with repetitions. */
  const histories = fc.array(event, { maxLength: 12 }).chain((events) => {
    const again = fc.subarray(events).map((repeated) => [...events, ...repeated]);
    const order = again.chain((all) =>
      fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
    );
    const cuts = fc.array(fc.integer({ min: 0, max: 24 }), { maxLength: 4 });
    return fc.record({ first: order, second: order, cuts });
  });
  const inBatches = (events: ListingEvent[], cuts: number[]): ListingState => {
    const edges = [0, ...cuts.toSorted((a, b) => a - b), events.length];
    return edges.slice(1).reduce((state, edge, i) => fold(state, events.slice(edges[i], edge)), EMPTY_STATE);
  };

  it('gives one state for every order, interleaving, batching and repetition (10,000 histories)', () => {
    fc.assert(
      fc.property(histories, ({ first, second, cuts }) => {
        expect(inBatches(first, cuts)).to.deep.equal(fold(EMPTY_STATE, second));
      }),
      { numRuns: 10_000 },
    );
  }).timeout(60_000);
});
