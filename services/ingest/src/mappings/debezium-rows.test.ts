import { expect } from 'chai';
import type { MappingRecord } from '../mapping.ts';
import { type DebeziumChange, debeziumRows, type Row } from './debezium-rows.ts';

const LISTINGS = 'shop.public.listings';
const CALENDAR = 'shop.public.calendar';
const TIME = Date.parse('2026-11-01T12:00:00Z');
const UNAVAILABLE = '__debezium_unavailable_value';

const tables = {
  listings: {
    topic: LISTINGS,
    id: 'id',
    deletedAt: 'deleted_at',
    fields: {
      title: 'title',
      description: 'description',
      price: 'price',
      location: { city: 'city', lat: 'lat' },
      images: 'images',
      url: (row: Row) => `https://shop.example/${row.slug}`,
      published_at: 'published_at',
    },
  },
  calendar: { topic: CALENDAR, listingId: 'listing_id', date: 'day', available: 'available', price: 'price' },
};
const { map } = debeziumRows(tables);

const record = (
  value: DebeziumChange | null,
  topic = LISTINGS,
  key: Row | string | null = { id: 'a' },
): MappingRecord<DebeziumChange, Row | string> => ({
  topic,
  partition: 0,
  offset: 5,
  timestamp: 0,
  headers: {},
  key,
  value,
});
const source = { lsn: 1000, ts_ms: TIME };
const row = {
  id: 'a',
  title: 'Casa',
  description: 'Perto da praia',
  price: '120.50',
  city: 'Recife',
  lat: -8,
  images: ['https://shop.example/1.jpg', null],
  slug: 'casa',
  published_at: '2026-01-02T03:04:05.123456Z',
  deleted_at: null,
};
const fields = {
  title: 'Casa',
  description: 'Perto da praia',
  price: 120.5,
  location: { city: 'Recife', lat: -8 },
  images: ['https://shop.example/1.jpg'],
  url: 'https://shop.example/casa',
  published_at: '2026-01-02T03:04:05.123456Z',
};
const head = { version: 1000, time: TIME };

describe('debeziumRows', () => {
  it('an inserted or updated row changes the mapped fields, and its LSN is the version', () => {
    for (const op of ['c', 'u'])
      expect(map(record({ op, after: row, source }))).to.deep.equal([
        { ...head, kind: 'changed', id: 'a', fields },
      ]);
  });

  it('the row of a snapshot has 1/64 of its LSN, so that every streamed change wins', () => {
    expect(map(record({ op: 'r', after: row, source }))).to.deep.equal([
      { ...head, version: 15, kind: 'changed', id: 'a', fields },
    ]);
    expect(map(record({ op: 'r', after: row, source: { lsn: 1 } }))[0]?.version).to.equal(1);
  });

  it('the row of a snapshot loses to a transaction that was open, even on a young server', () => {
    const versionAt = (lsn: number) => map(record({ op: 'r', after: row, source: { lsn } }))[0]?.version;
    expect(versionAt(70_000_000)).to.be.below(22_000_000);
    expect(versionAt(70_000_064)).to.be.above(versionAt(70_000_000) as number);
  });

  it('a deleted row removes its listing, and the tombstone after it says nothing', () => {
    const before = { id: 'a', title: null };
    expect(map(record({ op: 'd', before, after: null, source }))).to.deep.equal([
      { ...head, kind: 'removed', id: 'a' },
    ]);
    expect(map(record({ op: 'd', before: null, source }))[0]).to.include({ kind: 'removed', id: 'a' });
    expect(map(record(null))).to.deep.equal([]);
  });

  it('a row with deleted_at loses a field that the feed needs, and keeps the rest for its return', () => {
    for (const deleted_at of ['2026-01-01T00:00:00Z', true])
      expect(map(record({ op: 'u', after: { ...row, deleted_at }, source }))).to.deep.equal([
        { ...head, kind: 'changed', id: 'a', fields: { ...fields, price: null } },
      ]);
    expect(map(record({ op: 'u', after: { ...row, deleted_at: false }, source }))).to.deep.equal([
      { ...head, kind: 'changed', id: 'a', fields },
    ]);
  });

  it('a row with deleted_at is hidden without the values that no event can contain, and keeps the others', () => {
    const { location, published_at, ...both } = { ...fields, price: null };
    for (const [wrong, kept] of [
      [{ lat: 'north' }, { ...both, published_at }],
      [{ lat: 100 }, { ...both, published_at }],
      [{ published_at: 'soon' }, { ...both, location }],
    ]) {
      const after = { ...row, ...wrong, deleted_at: '2026-01-01T00:00:00Z' };
      expect(map(record({ op: 'u', after, source })), JSON.stringify(wrong)).to.deep.equal([
        { ...head, kind: 'changed', id: 'a', fields: kept },
      ]);
    }
  });

  it('a row with deleted_at is hidden even if its values together are too large for an event', () => {
    const images = Array(200).fill('https://shop.example/'.padEnd(4_000, 'x'));
    const after = { ...row, images, description: '日'.repeat(100_000), deleted_at: true };
    expect(map(record({ op: 'u', after, source }))).to.deep.equal([
      { ...head, kind: 'changed', id: 'a', fields: { price: null } },
    ]);
  });

  it('a soft deletion clears a field that returns, and not one that comes from a large value', () => {
    const { map: ofAttributes } = debeziumRows({
      ...tables,
      listings: {
        ...tables.listings,
        fields: { ...tables.listings.fields, price: (row: Row) => JSON.parse(String(row.attributes)).price },
      },
    });
    for (const [attributes, price] of [
      [UNAVAILABLE, {}],
      ['{"price":9}', { price: 9 }],
    ] as const) {
      const { price: _, ...others } = fields;
      const after = { ...row, attributes, deleted_at: true };
      expect(ofAttributes(record({ op: 'u', after, source }))).to.deep.equal([
        { ...head, kind: 'changed', id: 'a', fields: { ...others, ...price, location: null } },
      ]);
    }
  });

  it('refuses a new row with a long text that PostgreSQL did not log, because its primary key has changed', () => {
    const after = { ...row, description: UNAVAILABLE };
    for (const change of [
      { op: 'c', after },
      { op: 'c', after: { ...after, deleted_at: true } },
    ])
      expect(() => map(record({ ...change, source }))).to.throw(
        'description: PostgreSQL did not log the column description. Set REPLICA IDENTITY FULL',
      );
  });

  it('removes the former id of an updated row in any case', () => {
    const after = { ...row, description: UNAVAILABLE };
    const events = map(record({ op: 'u', before: { id: 'b' }, after, source }));
    expect(events).to.deep.include({ ...head, kind: 'removed', id: 'b' });
    expect(events).to.have.lengthOf(2);
  });

  it('refuses an update of the calendar whose former row does not name its date', () => {
    const before = { listing_id: 'a', day: 0 };
    const after = { ...before, day: 20_000, available: true, price: '80' };
    expect(() => map(record({ op: 'u', before, after, source }, CALENDAR))).to.throw('the row has no date');
  });

  it('leaves out fields that an update did not change and PostgreSQL did not log', () => {
    const after = { ...row, description: UNAVAILABLE, images: [UNAVAILABLE], slug: UNAVAILABLE };
    const { description, images, url, ...known } = fields;
    expect(map(record({ op: 'u', after, source }))).to.deep.equal([
      { ...head, kind: 'changed', id: 'a', fields: known },
    ]);
  });

  it('with keepsCalendar, a deleted row clears its fields, so that its calendar stays for the next row', () => {
    const listings = { ...tables.listings, keepsCalendar: true };
    const cleared = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    const { map } = debeziumRows({ ...tables, listings });
    expect(map(record({ op: 'd', before: { id: 'a' }, source }))).to.deep.equal([
      { ...head, kind: 'changed', id: 'a', fields: cleared },
    ]);
    const moved = map(record({ op: 'u', before: { ...row, id: 'b' }, after: row, source }));
    expect(moved.map(({ id, kind }) => [id, kind])).to.deep.equal([
      ['b', 'changed'],
      ['a', 'changed'],
    ]);
  });

  it('an update of the id removes the old listing if the previous row is known', () => {
    expect(
      map(record({ op: 'u', before: { ...row, id: 'b' }, after: row, source })).map(({ id, kind }) => [
        id,
        kind,
      ]),
    ).to.deep.equal([
      ['b', 'removed'],
      ['a', 'changed'],
    ]);
  });

  it('a row of the calendar sets its date, and a deleted one makes its date unavailable', () => {
    const day = { listing_id: 'a', day: 20_760, available: true, price: '80' };
    const date = { kind: 'availability_changed', id: 'a', mode: 'merge' };
    expect(map(record({ op: 'c', after: day, source }, CALENDAR))).to.deep.equal([
      { ...head, ...date, dates: [{ date: '2026-11-03', available: true, price: 80 }] },
    ]);
    const before = { listing_id: 'a', day: 20_760, available: null };
    expect(map(record({ op: 'd', before, source }, CALENDAR))).to.deep.equal([
      { ...head, ...date, dates: [{ date: '2026-11-03', available: false }] },
    ]);
    const moved = { op: 'u', before: { ...day, day: '2026-11-04' }, after: day, source };
    expect(map(record(moved, CALENDAR)).map((event) => 'dates' in event && event.dates)).to.deep.equal([
      [{ date: '2026-11-04', available: false }],
      [{ date: '2026-11-03', available: true, price: 80 }],
    ]);
    const updated = { op: 'u', before: { id: 5 }, after: day, source };
    expect(map(record(updated, CALENDAR)), 'a before with the primary key only').to.have.length(1);
  });

  it('refuses a deleted row of the calendar that does not name its date', () => {
    for (const day of [0, '1970-01-01', '1970-01-01Z'])
      expect(() => map(record({ op: 'd', before: { listing_id: 'a', day }, source }, CALENDAR))).to.throw(
        'the row has no date. If the date is not in the primary key, set REPLICA IDENTITY FULL',
      );
  });

  it('versions have the epoch of the mapping', () => {
    const { map: ofEpoch } = debeziumRows({ ...tables, versionEpoch: 2 });
    expect(ofEpoch(record({ op: 'c', after: row, source }))[0]?.version).to.deep.equal([2, 1000]);
  });

  for (const [what, value, message] of [
    ['a truncated table', { op: 't', source }, /was truncated.*reconcile/],
    ['a flattened row', { id: 'a', title: 'Casa' } as DebeziumChange, /ExtractNewRecordState/],
    ['a missing LSN', { op: 'c', after: row, source: { lsn: null } }, /source\.lsn is "null"/],
    ['an LSN in a list', { op: 'c', after: row, source: { lsn: [5] as never } }, /source\.lsn/],
    ['an LSN above 2^53-1', { op: 'c', after: row, source: { lsn: 2 ** 60 } }, /source\.lsn/],
    ['a missing column', { op: 'c', after: { id: 'a', deleted_at: null }, source }, /no column title/],
    [
      'a precise decimal',
      { op: 'c', after: { ...row, price: 'A+g=' }, source },
      /^price: .*decimal\.handling\.mode/,
    ],
    // Debezium writes these values for NOT NULL columns outside the primary key.
    ['a deletion with the id 0', { op: 'd', before: { id: 0 }, source }, /REPLICA IDENTITY FULL/],
    ['a deletion with an empty id', { op: 'd', before: { id: '' }, source }, /REPLICA IDENTITY FULL/],
    ['a row without id', { op: 'd', before: { id: null }, source }, /REPLICA IDENTITY FULL/],
    ['a rounded id', { op: 'c', after: { ...row, id: 2 ** 53 }, source }, /JSON has rounded/],
  ] satisfies [string, DebeziumChange, RegExp][])
    it(`refuses ${what}`, () => expect(() => map(record(value, LISTINGS, null))).to.throw(message));

  it('a message of pg_logical_emit_message means nothing', () =>
    expect(map(record({ op: 'm', source }))).to.deep.equal([]));
});
