import type { ListingEvent, Version } from '@vitrine/listing-events';
import { expect } from 'chai';
import fc from 'fast-check';
import { fold } from './fold.ts';
import { EMPTY_STATE, HIDDEN } from './listing-state.ts';
import { factsOf, foldNoting, type NotedState } from './superseded.ts';

const DAY = '2026-01-01';
const CLOCK = 1_700_000_000_000;
const NOW = 1_000_000;

interface Head {
  version: Version;
  time: number;
  source?: string;
}
const changed = (
  { version, time, source = '/relay' }: Head,
  fields: object = { price: 1 },
): ListingEvent => ({
  kind: 'changed',
  id: 'a',
  version,
  time,
  source,
  fields,
});
const removed = ({ version, time, source = '/relay' }: Head): ListingEvent => ({
  kind: 'removed',
  id: 'a',
  version,
  time,
  source,
});
const dated = (
  { version, time, source = '/relay' }: Head,
  mode: 'merge' | 'replace' = 'merge',
  ...dates: string[]
): ListingEvent => ({
  kind: 'availability_changed',
  id: 'a',
  version,
  time,
  source,
  mode,
  dates: (dates.length > 0 ? dates : [DAY]).map((date) => ({ date, available: true })),
});
const snapshot = (head: Head, dates?: string[]): ListingEvent => ({
  ...changed(head, { title: 'a', price: 1 }),
  kind: 'snapshot',
  fields: { title: 'a', price: 1 },
  ...(dates && { dates: dates.map((date) => ({ date, available: true })) }),
});
const byClock = (time: number, at = CLOCK): Head => ({ version: at, time, source: '/clock' });

const noted = (events: readonly ListingEvent[], state: NotedState = EMPTY_STATE) =>
  foldNoting(state, events, NOW);
const versionsOf = (events: readonly ListingEvent[]) => events.map(({ version }) => version);

describe('superseded events', () => {
  it('are noted with the member that has a higher version, and counted once', () => {
    const { state, superseded } = noted([changed(byClock(1)), changed({ version: 5, time: 2 })]);
    expect(versionsOf(superseded)).to.deep.equal([5]);
    expect(state.ignored).to.deep.equal([
      { source: '/relay', kind: 'changed', version: 5, time: 2, member: 'price', held: CLOCK },
    ]);
    expect(state.fields.price).to.deep.equal([CLOCK, 1]);
  });

  for (const [what, held, event, member] of [
    [
      'a change of an epoch below',
      changed({ version: [1, 1], time: 1 }),
      changed({ version: 9, time: 2 }),
      'price',
    ],
    ['a snapshot', snapshot(byClock(1)), snapshot({ version: 5, time: 2 }), 'title'],
    ['a snapshot with dates', snapshot(byClock(1), [DAY]), snapshot({ version: 5, time: 2 }, [DAY]), 'title'],
    ['a date', dated(byClock(1)), dated({ version: 5, time: 2 }), DAY],
    [
      'a date below a replacement',
      dated(byClock(1), 'replace', '2026-02-02'),
      dated({ version: 5, time: 2 }),
      'replaced',
    ],
    [
      'a replacement below another one',
      dated(byClock(1), 'replace'),
      dated({ version: 5, time: 2 }, 'replace'),
      'replaced',
    ],
    ['a replacement that hides nothing', dated(byClock(1)), dated({ version: 5, time: 2 }, 'replace'), DAY],
    ['a removal that hides nothing', changed(byClock(1)), removed({ version: 5, time: 2 }), 'price'],
    ['a removal below another one', removed(byClock(1)), removed({ version: 5, time: 2 }), 'removed'],
    ['a change below a removal', removed(byClock(1)), changed({ version: 5, time: 2 }), 'removed'],
    ['a date below a removal', removed(byClock(1)), dated({ version: 5, time: 2 }), 'removed'],
    [
      'a replacement below a removal',
      removed(byClock(1)),
      dated({ version: 5, time: 2 }, 'replace'),
      'removed',
    ],
  ] as const)
    it(`can be ${what}`, () => {
      for (const { state, superseded } of [noted([held, event]), noted([event], noted([held]).state)]) {
        expect(superseded).to.deep.equal([event]);
        expect(state.ignored).to.have.length(1);
        expect(state.ignored?.[0]).to.include({ kind: event.kind, member, held: held.version });
      }
    });

  for (const [what, held, event] of [
    [
      'an event with one new field',
      changed(byClock(1)),
      changed({ version: 5, time: 2 }, { price: 1, title: 'a' }),
    ],
    ['a snapshot that sets dates', snapshot(byClock(1)), snapshot({ version: 5, time: 2 }, [DAY])],
    [
      'an event with one new date',
      dated(byClock(1)),
      dated({ version: 5, time: 2 }, 'merge', DAY, '2026-02-02'),
    ],
    [
      'a replacement that hides a date',
      dated({ version: 4, time: 1 }),
      dated({ version: 5, time: 2 }, 'replace', '2026-02-02'),
    ],
    ['a removal that hides a field', changed({ version: 4, time: 1 }), removed({ version: 5, time: 2 })],
    ['the first removal', changed({ version: 5, time: 1 }, { other: 1 }), removed({ version: 6, time: 2 })],
    ['an event without members', changed(byClock(1)), changed({ version: 5, time: 2 }, {})],
    ['the same event again', changed(byClock(1)), changed(byClock(1))],
    ['another content of the same version', changed(byClock(1)), changed(byClock(2), { price: 0 })],
    ['the same removal again', removed(byClock(1)), removed(byClock(1))],
    ['an older event that arrives late', changed(byClock(2)), changed({ version: 5, time: 1 })],
    ['a tombstone', removed(byClock(1)), { kind: 'removed', id: 'a', version: 5 } as const],
  ] as const)
    it(`are not ${what}`, () => {
      const { state, superseded } = noted([held, event]);
      expect(superseded).to.deep.equal([]);
      expect(state).not.to.have.property('ignored');
    });

  it('are not counted again after a reload of the same events in any order', () => {
    const events = [
      snapshot({ version: 1, time: 1 }),
      changed({ version: 2, time: 2 }),
      changed(byClock(3)),
      changed({ version: 3, time: 4 }),
      changed({ version: 4, time: 4 }),
      changed({ version: 5, time: 5 }, { title: 'b' }),
      changed({ version: 6, time: 6 }),
    ];
    const { state, superseded } = noted(events);
    expect(versionsOf(superseded)).to.deep.equal([3, 4, 6]);
    for (const again of [events, events.toReversed(), [...events, ...events]]) {
      const reloaded = noted(again, state);
      expect(reloaded.superseded).to.deep.equal([]);
      expect(reloaded.state).to.deep.equal(state);
    }
  });

  it('leave the notes when a later event of the source takes effect', () => {
    const { state } = noted([changed(byClock(1)), changed({ version: 5, time: 2 })]);
    const after = (event: ListingEvent) => noted([event], state).state.ignored?.map(({ version }) => version);
    expect(after(changed({ version: 6, time: 3 }, { title: 'a' }))).to.equal(undefined);
    expect(after(changed({ version: [1, 1], time: 1 }))).to.equal(undefined);
    expect(after(changed({ version: 4, time: 1 }, { title: 'late' }))).to.deep.equal([5]);
    expect(after(changed({ ...byClock(3), version: CLOCK + 1 }))).to.deep.equal([5]);
    expect(after(changed({ version: 6, time: 3 }))).to.deep.equal([6]);
  });

  it('are noted for at most five sources, the newest first', () => {
    const events = Array.from({ length: 7 }, (_, i) => changed({ version: 5, time: i + 2, source: `/${i}` }));
    const { state, superseded } = noted([changed(byClock(1)), ...events]);
    expect(superseded).to.have.length(7);
    expect(state.ignored?.map(({ source }) => source)).to.deep.equal(['/6', '/5', '/4', '/3', '/2']);
  });

  it('are noted in a state of 1.1.0 only if they are newer than its first fold', () => {
    const { last_time: _, ...old } = fold(
      EMPTY_STATE,
      [1, 2, 3].map((n) => changed({ version: n, time: n })),
    );
    const reload = [1, 2, 3].map((n) => changed({ version: n, time: n }));
    const { state, superseded } = noted(reload, old);
    expect([superseded, state.last_time]).to.deep.equal([[], NOW]);
    expect(noted([changed({ version: 2, time: NOW + 1 })], state).superseded).to.have.length(1);
    expect(noted([], old).state).to.deep.equal(old);
  });

  it('are no facts', () => {
    const events = [changed(byClock(1)), changed({ version: 5, time: 2 })];
    const { last_time: _, ...facts } = fold(EMPTY_STATE, events);
    expect(factsOf(noted(events).state)).to.deep.equal(facts);
  });

  it('leave the content as it is, and no reload counts them, in any history', () => {
    const source = fc.constantFrom('/relay', '/clock', '/other');
    const version: fc.Arbitrary<Version> = fc.oneof(
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom<Version>(CLOCK, CLOCK + 1, [1, 1], [1, 2], [2, 1]),
    );
    const days = fc.subarray(['2026-01-01', '2026-01-02', '2026-01-03'], { minLength: 1 });
    const fields = fc.record(
      { price: fc.integer({ min: 1, max: 3 }), title: fc.constantFrom('a', null) },
      { requiredKeys: [] },
    );
    const event = fc
      .record({
        source,
        version,
        kind: fc.constantFrom('snapshot', 'changed', 'merge', 'replace', 'removed'),
        fields,
        days,
      })
      .map(({ kind, source, version, fields, days }) => (time: number): ListingEvent => {
        const head = { source, version, time };
        if (kind === 'snapshot') return snapshot(head, fields.price === 1 ? days : undefined);
        if (kind === 'changed') return changed(head, fields);
        if (kind === 'removed') return removed(head);
        return dated(head, kind === 'replace' ? 'replace' : 'merge', ...days);
      });
    const contentOf = ({ fields, dates }: NotedState) => ({
      fields,
      dates: Object.entries(dates).filter(([, entry]) => entry !== HIDDEN),
    });
    const notesOf = ({ ignored = [] }: NotedState) =>
      ignored.map(({ source, kind, version, time }) => ({ source, kind, version, time }));
    let found = 0;
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (makers, random) => {
        const events = makers.map((make, index) => make(index + 1));
        let state: NotedState = EMPTY_STATE;
        for (const one of events) {
          const next = noted([one], state);
          found += next.superseded.length;
          if (next.superseded.length > 0) expect(contentOf(next.state)).to.deep.equal(contentOf(state));
          state = next.state;
        }
        expect(factsOf(state)).to.deep.equal(factsOf(fold(EMPTY_STATE, events)));
        // The order of the members, and therefore the first member of a removal, depends on the batches.
        expect(notesOf(noted(events).state)).to.deep.equal(notesOf(state));
        const shuffled = events
          .map((one) => ({ one, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        for (const again of [events, shuffled]) expect(noted(again, state).superseded).to.deep.equal([]);
      }),
      { numRuns: 1_000 },
    );
    expect(found).to.be.above(100);
  }).timeout(60_000);
});
