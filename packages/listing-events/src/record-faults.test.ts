import { expect } from 'chai';
import fc from 'fast-check';
import type { RawRecord } from './cloud-event.ts';
import { decodeRecord } from './decode.ts';
import { recordFaults } from './record-faults.ts';

const snapshot = (listing: object, overrides: object = {}): object => ({
  specversion: '1.0',
  id: 'e-1',
  source: '/test',
  type: 'marketplace.listing.snapshot',
  subject: 'a-1',
  time: '2026-11-01T00:00:00Z',
  data: { version: 7, listing },
  ...overrides,
});
const record = (value: object | string | Buffer | null, key: string | null = 'a-1'): RawRecord => ({
  key: key === null ? null : Buffer.from(key),
  value:
    value === null || Buffer.isBuffer(value)
      ? value
      : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});
/** The faults without their messages. */
const places = (raw: RawRecord) => recordFaults(raw).map(({ message, ...place }) => place);

describe('the faults of a record', () => {
  it('are absent for an accepted record and for an unknown type', () => {
    expect(recordFaults(record(snapshot({ title: 'T', price: null })))).to.deep.equal([]);
    expect(recordFaults(record(snapshot({}, { type: 'other', data: {} })))).to.deep.equal([]);
  });

  it('are all faults, each with its value and limit, without the noise of conditions and choices', () => {
    const listing = {
      title: 5,
      price: -1,
      ad_type: 'swap',
      review_count: -1.5,
      location: { lat: 91 },
      images: ['https://example.com/1.jpg', 7],
      published_at: 'yesterday',
      availability: [{ date: '2026-02-30', available: 'yes', price: 'x' }, {}],
    };
    expect(places(record(snapshot(listing, { specversion: '0.3', id: '' })))).to.have.deep.members([
      { reason: 'schema', path: '/specversion', value: '0.3', limit: '1.0' },
      { reason: 'schema', path: '/id', value: '', limit: 1 },
      { reason: 'schema', path: '/data/listing/title', value: 5, limit: 'string or null' },
      { reason: 'schema', path: '/data/listing/price', value: -1, limit: 0 },
      {
        reason: 'schema',
        path: '/data/listing/ad_type',
        value: 'swap',
        limit: 'sale, rent, service, null',
      },
      { reason: 'schema', path: '/data/listing/review_count', value: -1.5, limit: 'integer or null' },
      { reason: 'schema', path: '/data/listing/review_count', value: -1.5, limit: 0 },
      { reason: 'schema', path: '/data/listing/location/lat', value: 91, limit: 90 },
      { reason: 'schema', path: '/data/listing/images/1', value: 7, limit: 'string' },
      { reason: 'schema', path: '/data/listing/published_at', value: 'yesterday', limit: 'date-time' },
      { reason: 'schema', path: '/data/listing/availability/0/date', value: '2026-02-30', limit: 'date' },
      { reason: 'schema', path: '/data/listing/availability/0/available', value: 'yes', limit: 'boolean' },
      {
        reason: 'schema',
        path: '/data/listing/availability/0/price',
        value: 'x',
        limit: 'number or null',
      },
      { reason: 'schema', path: '/data/listing/availability/1', value: '{}', limit: 'date' },
      { reason: 'schema', path: '/data/listing/availability/1', value: '{}', limit: 'available' },
    ]);
  });

  it('name a missing member at its parent', () =>
    expect(places(record(snapshot({}, { data: { listing: {} } })))).to.deep.equal([
      { reason: 'schema', path: '/data', value: '{"listing":{}}', limit: 'version' },
    ]));

  it('name the key beside the faults of the schema', () =>
    expect(places(record(snapshot({ price: 'x' }), 'b-2'))).to.deep.equal([
      { reason: 'schema', path: '/data/listing/price', value: 'x', limit: 'number or null' },
      { reason: 'key-mismatch', path: '/subject', value: 'a-1', limit: 'b-2' },
    ]));

  it('escape the path, and shorten the value', () => {
    const [fault] = recordFaults(record(snapshot({ category: 'é'.repeat(100_001) })));
    expect(fault).to.include({ path: '/data/listing/category', limit: 100_000 });
    expect(fault?.value).to.equal(`${'é'.repeat(79)}…`);
  });

  const others: [what: string, raw: RawRecord, place: object, message: RegExp][] = [
    ['no JSON', record('{"a":'), { reason: 'not-json', path: '', value: '{"a":' }, /JSON/],
    ['an array', record('[1]'), { reason: 'not-an-object', path: '', value: '[1]' }, /not an object/],
    ['invalid UTF-8', record(Buffer.from([0x22, 0xff])), { reason: 'not-utf8', path: '' }, /not UTF-8/],
    [
      'a large value',
      record('x'.repeat(1024 * 1024 + 1)),
      { reason: 'too-large', path: '', value: 1024 * 1024 + 1, limit: 1024 * 1024 },
      /1048577 bytes/,
    ],
    ['a deep value', record('['.repeat(33)), { reason: 'too-deep', path: '', limit: 32 }, /32 levels/],
    [
      'no key',
      record(snapshot({}), null),
      { reason: 'key-mismatch', path: '/subject', value: 'a-1' },
      /differs from the key/,
    ],
    ['a tombstone', record(null), { reason: 'tombstone-without-version', path: '' }, /`version` header/],
    [
      'a tombstone with a bad version',
      { ...record(null), headers: { version: '0' } },
      { reason: 'tombstone-without-version', path: '', value: '0' },
      /1 to 2\^53-1/,
    ],
    [
      'a tombstone with a bad key',
      { ...record(null, 'a b'), headers: { version: '1' } },
      { reason: 'schema', path: '', value: 'a b' },
      /listing id/,
    ],
    [
      'the Confluent wire format',
      record(Buffer.from([0, 0, 0, 1, 2, 0x7b, 0x7d])),
      { reason: 'not-json', path: '' },
      /Confluent wire format of a schema registry \(schema 258\)/,
    ],
    [
      'a repeated header of binary mode',
      { ...record('{}'), headers: { ce_specversion: '1.0', ce_id: ['1', '2'] } },
      { reason: 'schema', path: '' },
      /more than one ce_id header/,
    ],
  ];
  for (const [what, raw, place, message] of others)
    it(`name ${what}`, () => {
      const [fault, ...more] = recordFaults(raw);
      expect(more).to.deep.equal([]);
      expect(fault).to.include(place);
      expect(fault?.message).to.match(message);
    });

  it('read the event of binary mode', () => {
    const headers = { ce_specversion: '1.0', ce_id: 'e', ce_source: '/s', ce_subject: 'a-1', ce_type: 'x' };
    const raw = { ...record('{}'), headers: { ...headers, ce_time: 'now' } };
    expect(places(raw)).to.deep.equal([
      { reason: 'schema', path: '/time', value: 'now', limit: 'date-time' },
    ]);
  });

  it('are bounded', () => {
    const images = new Array(200_000).fill(1);
    const faults = recordFaults(record(snapshot({ images })));
    expect(faults[0]).to.include({ path: '/data/listing/images', limit: 200 });
    expect(faults).to.have.length(1_201);
    const availability = new Array(150_000).fill({});
    expect(recordFaults(record(snapshot({ images, availability })))).to.have.length(3_602);
  });

  it('agree with the decoder about any change of an event', () => {
    const member = fc.constantFrom(
      'title',
      'price',
      'location',
      'images',
      'availability',
      'version',
      '__proto__',
    );
    fc.assert(
      fc.property(fc.dictionary(member, fc.jsonValue({ maxDepth: 3 })), (listing) => {
        const raw = record(snapshot(listing));
        const decoded = decodeRecord(raw);
        const faults = recordFaults(raw);
        expect(faults.length > 0).to.equal(decoded.outcome === 'refused');
        if (decoded.outcome === 'refused') expect(faults[0]?.reason).to.equal(decoded.reason);
      }),
      { seed: 36, numRuns: 500 },
    );
  });
});
