import { deriveItem, EMPTY_STATE, fold, highestVersion, type ListingState } from '@vitrine/listing';
import { decodeRecord, type ListingEvent, versionOf } from '@vitrine/listing-events';
import { expect } from 'chai';
import fc from 'fast-check';
import { RepairError, repairEvents } from './repair-events.ts';

const NOW = new Date('2026-11-25T12:00:00Z');
const BURNED = Number.MAX_SAFE_INTEGER;
const ID = 'casa-1';

/** The accepted events of a repair. */
const decoded = (state: ListingState, id = ID): ListingEvent[] =>
  repairEvents(id, state, NOW).events.map((value) => {
    const result = decodeRecord({ key: Buffer.from(id), value: Buffer.from(value) });
    if (result.outcome !== 'event') throw new Error(JSON.stringify(result));
    return result.event;
  });

const day = (index: number) => new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
const snapshot = (version: number, dates = 0, fields = {}): ListingEvent => ({
  kind: 'snapshot',
  id: ID,
  version,
  time: 1,
  fields: {
    title: 'Casa',
    price: 100,
    location: { city: 'Natal' },
    url: 'https://a.example/1',
    rating: null,
    ...fields,
  },
  dates: Array.from({ length: dates }, (_, index) => ({
    date: day(index),
    available: index % 2 === 0,
    price: 5,
  })),
});

describe('the events of a repair', () => {
  const version = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(BURNED));
  const head = {
    id: fc.constant(ID),
    version: fc.tuple(fc.integer({ min: 0, max: 2 }), version).map(([epoch, one]) => versionOf(epoch, one)),
    time: fc.integer({ min: 1, max: 1_000 }),
  };
  const dates = fc.array(
    fc.record({ date: fc.integer({ min: 0, max: 5 }).map(day), available: fc.boolean() }),
    { maxLength: 4 },
  );
  const fields = fc.record(
    {
      title: fc.constantFrom('Casa', null),
      price: fc.constantFrom(100, 200, null),
      location: fc.constantFrom({ city: 'Natal' }, { city: null, lat: 1 }),
      url: fc.constant('https://a.example/1'),
    },
    { requiredKeys: [] },
  );
  const event: fc.Arbitrary<ListingEvent> = fc.oneof(
    fc.record({ ...head, kind: fc.constant('changed' as const), fields }),
    fc.record({ ...head, kind: fc.constant('snapshot' as const), fields, dates }),
    fc.record({
      ...head,
      kind: fc.constant('availability_changed' as const),
      mode: fc.constantFrom('merge' as const, 'replace' as const),
      dates,
    }),
    fc.record({ ...head, kind: fc.constant('removed' as const) }),
  );

  it('keep the content of any listing, in any order, and move all of it to the next epoch', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 8 }), fc.nat(), (history, seed) => {
        const state = fold(EMPTY_STATE, history);
        const repaired = fold(state, decoded(state));
        expect(deriveItem(ID, repaired)).to.deep.equal(deriveItem(ID, state));
        const { epoch } = repairEvents(ID, state, NOW);
        expect(highestVersion(repaired)).to.deep.equal(versionOf(epoch, 1));
        const later = [...history, ...decoded(state)];
        const rotated = [...later.slice(seed % later.length), ...later.slice(0, seed % later.length)];
        expect(fold(EMPTY_STATE, rotated)).to.deep.equal(fold(EMPTY_STATE, later));
      }),
    );
  });

  it('let the source change a burned listing again, in their epoch only', () => {
    const state = fold(EMPTY_STATE, [snapshot(BURNED)]);
    const repaired = fold(state, decoded(state));
    const change = (version: ListingEvent['version']): ListingEvent[] => [
      { kind: 'changed', id: ID, version, time: 2, fields: { price: 7 } },
    ];
    expect(fold(repaired, change(BURNED)).fields.price).to.deep.equal([[1, 1], 100]);
    expect(fold(repaired, change([1, 2])).fields.price).to.deep.equal([[1, 2], 7]);
  });

  it('keep the calendar of the maximum length', () => {
    const state = fold(EMPTY_STATE, [
      ...[0, 1_000, 2_000, 3_000].map(
        (first): ListingEvent => ({
          kind: 'availability_changed',
          id: ID,
          version: BURNED,
          mode: 'merge',
          dates: Array.from({ length: Math.min(1_000, 3_660 - first) }, (_, index) => ({
            date: day(first + index),
            available: true,
          })),
        }),
      ),
      snapshot(BURNED - 1, 0),
    ]);
    const events = decoded(state);
    expect(events).to.have.length(5);
    const repaired = fold(state, events);
    expect(Object.keys(repaired.dates)).to.have.length(3_660);
    expect(deriveItem(ID, repaired)).to.deep.equal(deriveItem(ID, state));
  });

  it('move a long calendar to events of its own if the text of the listing is long', () => {
    const long = 'x'.repeat(95_000);
    const state = fold(EMPTY_STATE, [
      snapshot(3, 1_090, {
        title: long,
        description: 'ã'.repeat(85_000),
        images: Array.from({ length: 190 }, (_, index) => `https://a.example/${index}/${'i'.repeat(3_900)}`),
      }),
    ]);
    expect(decoded(state).map(({ kind }) => kind)).to.deep.equal(['snapshot', 'availability_changed']);
    expect(deriveItem(ID, fold(state, decoded(state)))).to.deep.equal(deriveItem(ID, state));
  });

  it('remove a removed listing again', () => {
    const state = fold(EMPTY_STATE, [snapshot(1), { kind: 'removed', id: ID, version: BURNED }]);
    expect(decoded(state)).to.deep.include.members([
      { kind: 'removed', id: ID, version: [1, 1], source: '/vitrine/repair', time: NOW.getTime() },
    ]);
  });

  it('accept the longest id', () => {
    const id = 'i'.repeat(200);
    expect(decoded(fold(EMPTY_STATE, [{ ...snapshot(1), id }]), id)).to.have.length(1);
  });

  it('do not exist after the last epoch', () => {
    const state = fold(EMPTY_STATE, [{ kind: 'removed', id: ID, version: [1_000_000, 1] }]);
    expect(() => repairEvents(ID, state, NOW)).to.throw(RepairError, /1000000, which is the last one/);
  });

  it('do not exist if the content of several events does not fit into one', () => {
    const text = 'ã'.repeat(100_000);
    const images = Array.from(
      { length: 200 },
      (_, index) => `https://a.example/${index}/${'i'.repeat(3_900)}`,
    );
    const state = fold(EMPTY_STATE, [
      { kind: 'changed', id: ID, version: 1, fields: { title: text, description: text } },
      { kind: 'changed', id: ID, version: 2, fields: { images } },
    ]);
    expect(() => repairEvents(ID, state, NOW)).to.throw(RepairError, /an event has at most 1048576/);
  });
});
