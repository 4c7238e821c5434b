import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_RECORD_BYTES, type RawRecord } from './cloud-event.ts';
import { decodeRecord } from './decode.ts';
import { FIELD_NAMES } from './listing-event.ts';

const envelope = (overrides: object = {}) => ({
  specversion: '1.0',
  id: 'e-1',
  source: '/test',
  type: 'marketplace.listing.changed',
  subject: 'a-1',
  time: '2026-11-01T00:00:00Z',
  data: { version: 7, changes: { price: 10 } },
  ...overrides,
});
const record = (
  value: unknown,
  key: string | null = 'a-1',
  headers: RawRecord['headers'] = {},
): RawRecord => ({
  key: key === null ? null : Buffer.from(key),
  value:
    value === null
      ? null
      : Buffer.isBuffer(value)
        ? value
        : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  headers,
});
const decodeEvent = (overrides: object) => {
  const decoded = decodeRecord(record(envelope(overrides)));
  if (decoded.outcome !== 'event') throw new Error(JSON.stringify(decoded));
  return decoded.event;
};
const reasonOf = (raw: RawRecord) => {
  const decoded = decodeRecord(raw);
  return decoded.outcome === 'refused' ? decoded.reason : decoded.outcome;
};
const nested = (depth: number) => `${'{"x":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

describe('decodeRecord', () => {
  it('reads a change', () =>
    expect(decodeEvent({})).to.deep.equal({
      kind: 'changed',
      id: 'a-1',
      version: 7,
      source: '/test',
      time: Date.parse('2026-11-01T00:00:00Z'),
      fields: { price: 10 },
    }));

  it('reads the epoch of the version of every type of event', () => {
    const types: [string, object][] = [
      ['snapshot', { listing: { title: 'T' } }],
      ['changed', { changes: { title: 'T' } }],
      ['availability_changed', { dates: [] }],
      ['removed', {}],
    ];
    for (const [type, content] of types) {
      const event = (version_epoch: unknown) => ({
        type: `marketplace.listing.${type}`,
        data: { version: 7, version_epoch, ...content },
      });
      const versions = [undefined, 0, 1, 1_000_000].map((epoch) => decodeEvent(event(epoch)).version);
      expect(versions, type).to.deep.equal([7, 7, [1, 7], [1_000_000, 7]]);
      for (const bad of [-1, 0.5, 1_000_001, '1', null])
        expect(reasonOf(record(envelope(event(bad)))), `${type} ${bad}`).to.equal('schema');
    }
  });

  it('reads a snapshot as a change of every field, and clears absent fields', () => {
    const event = decodeEvent({
      type: 'marketplace.listing.snapshot',
      data: { version: 1, listing: { title: 'T', availability: [{ date: '2026-12-01', available: true }] } },
    });
    if (event.kind !== 'snapshot') throw new Error(event.kind);
    expect(Object.keys(event.fields)).to.have.members([...FIELD_NAMES]);
    expect(event.fields).to.include({ title: 'T', price: null, url: null });
    expect(event.dates).to.deep.equal([{ date: '2026-12-01', available: true }]);
  });

  it('does not change the calendar if a snapshot has none', () =>
    expect(
      decodeEvent({ type: 'marketplace.listing.snapshot', data: { version: 1, listing: {} } }),
    ).to.not.have.property('dates'));

  it('merges availability unless the mode is replace', () => {
    const data = { version: 1, dates: [] };
    expect(decodeEvent({ type: 'marketplace.listing.availability_changed', data })).to.include({
      mode: 'merge',
    });
    expect(
      decodeEvent({ type: 'marketplace.listing.availability_changed', data: { ...data, mode: 'replace' } }),
    ).to.include({ mode: 'replace' });
  });

  it('reads a removal', () =>
    expect(
      decodeEvent({ type: 'marketplace.listing.removed', data: { version: 9, reason: 'sold' } }),
    ).to.include({ kind: 'removed', version: 9 }));

  it('keeps only members that the contract names, at every level', () => {
    const changes = {
      title: 'T',
      owner: 'x',
      location: { city: 'C', planet: 'Mars' },
      provider: { name: 'N', cnpj: '1' },
    };
    const event = decodeEvent({ extra: 1, data: { version: 1, changes } });
    expect(event)
      .to.have.property('fields')
      .that.deep.equals({ title: 'T', location: { city: 'C' }, provider: { name: 'N' } });
  });

  it('reads -0 as 0, because a state cannot store -0', () => {
    const text = JSON.stringify(envelope({ data: { version: 7, changes: { location: { lat: 'L' } } } }));
    const decoded = decodeRecord(record(text.replace('"L"', '-0.0')));
    expect(
      decoded.outcome === 'event' && decoded.event.kind === 'changed' && decoded.event.fields,
    ).to.deep.equal({ location: { lat: 0 } });
  });

  it('replaces a lone surrogate with U+FFFD', () =>
    expect(
      decodeRecord(record(JSON.stringify(envelope()).replace('"price":10', '"title":"a\\ud800b"'))),
    ).to.have.nested.property('event.fields.title', 'a\ufffdb'));

  it('skips a well-formed event of an unknown type', () =>
    expect(decodeRecord(record(envelope({ type: 'marketplace.listing.viewed' })))).to.deep.equal({
      outcome: 'skipped',
      type: 'marketplace.listing.viewed',
    }));

  // Newtonsoft.Json#1188: this time is valid in its own zone, but is after the year 9999 in UTC.
  const FAR = '9999-12-31T23:59:59-03:00';
  for (const [where, event] of [
    ['/time', envelope({ time: FAR })],
    ['/data/changes/published_at', envelope({ data: { version: 1, changes: { published_at: FAR } } })],
    [
      '/data/listing/published_at',
      envelope({
        type: 'marketplace.listing.snapshot',
        data: { version: 1, listing: { published_at: FAR } },
      }),
    ],
  ] as const)
    it(`refuses a ${where} that leaves the years 1 to 9999 in UTC, and names it`, () =>
      expect(decodeRecord(record(event))).to.deep.equal({
        outcome: 'refused',
        reason: 'schema',
        detail: `${where} is outside of the years 1 to 9999 in UTC: ${FAR}`,
      }));

  describe('refuses', () => {
    const cases: [what: string, raw: RawRecord, reason: string][] = [
      ['bytes that are not UTF-8', record(Buffer.from([0x7b, 0xff, 0x7d])), 'not-utf8'],
      ['text that is not JSON', record('not json{'), 'not-json'],
      ['an empty value', record(''), 'not-json'],
      ['a byte-order mark', record(`\ufeff${JSON.stringify(envelope())}`), 'not-json'],
      ['an array', record('[]'), 'not-an-object'],
      ['a string', record('"x"'), 'not-an-object'],
      ['null as JSON', record('null'), 'not-an-object'],
      ['a key that is not the subject', record(envelope(), 'b-2'), 'key-mismatch'],
      ['no key', record(envelope(), null), 'key-mismatch'],
      ['a key that is not UTF-8', { ...record(envelope()), key: Buffer.from([0xff]) }, 'not-utf8'],
      ['more than 1 MiB', record(JSON.stringify(envelope()).padEnd(MAX_RECORD_BYTES + 1)), 'too-large'],
      ['depth 33', record(nested(33)), 'too-deep'],
      ['100,000 brackets', record('['.repeat(100_000)), 'too-deep'],
      ['version 0', record(envelope({ data: { version: 0, changes: { price: 1 } } })), 'schema'],
      ['version 2^53', record(envelope({ data: { version: 2 ** 53, changes: { price: 1 } } })), 'schema'],
      [
        'a version with a fraction',
        record(envelope({ data: { version: 1.5, changes: { price: 1 } } })),
        'schema',
      ],
      ['no changes', record(envelope({ data: { version: 1, changes: {} } })), 'schema'],
      [
        'a date that does not exist',
        record(
          envelope({
            type: 'marketplace.listing.availability_changed',
            data: { version: 1, dates: [{ date: '2026-02-30', available: true }] },
          }),
        ),
        'schema',
      ],
      [
        'a number that overflows to infinity',
        record(JSON.stringify(envelope()).replace('10', '1e999')),
        'schema',
      ],
      ['an unknown type without a subject', record(envelope({ type: 'x', subject: undefined })), 'schema'],
      ['an hour of 24', record(envelope({ time: '2024-01-01T24:59:59+01:00' })), 'schema'],
      [
        'an hour of 24 as publication',
        record(envelope({ data: { version: 1, changes: { published_at: '2024-01-01T24:00:00+01:00' } } })),
        'schema',
      ],
      ['another CloudEvents version', record(envelope({ specversion: '0.3' })), 'schema'],
    ];
    for (const [what, raw, reason] of cases)
      it(`${what}: ${reason}`, () => expect(reasonOf(raw)).to.equal(reason));

    it('with a readable detail', () => {
      const decoded = decodeRecord(record(envelope({ data: { version: 1, changes: { price: 'dear' } } })));
      expect(decoded).to.have.property('detail').that.contains('/data/changes/price must be number');
    });
  });

  it('accepts exactly 1 MiB and 32 levels of nesting', () => {
    expect(reasonOf(record(JSON.stringify(envelope()).padEnd(MAX_RECORD_BYTES)))).to.equal('event');
    expect(reasonOf(record(envelope({ extra: JSON.parse(nested(31)) as object })))).to.equal('event');
    expect(reasonOf(record(envelope({ extra: JSON.parse(nested(32)) as object })))).to.equal('too-deep');
  });

  it('ignores brackets in strings when it measures the nesting', () =>
    expect(reasonOf(record(envelope({ extra: `\\"${'['.repeat(100)}` })))).to.equal('event'));

  describe('a null value', () => {
    const version = (header: string | string[]) =>
      record(null, 'a-1', {
        version: Array.isArray(header) ? header.map((h) => Buffer.from(h)) : Buffer.from(header),
      });
    it('is a removal if it has a version', () =>
      expect(decodeRecord(version('12'))).to.deep.equal({
        outcome: 'event',
        event: { kind: 'removed', id: 'a-1', version: 12 },
      }));
    for (const bad of ['', '0', '-1', '1.5', '1e3', ' 1', '9007199254740992', 'x', ['1', '2']])
      it(`with version ${JSON.stringify(bad)} is refused`, () =>
        expect(reasonOf(version(bad))).to.equal('tombstone-without-version'));
    const epoch = (header: Buffer | Buffer[] | null) =>
      record(null, 'a-1', { version: Buffer.from('12'), 'version-epoch': header });
    it('has the epoch of the header, or epoch 0', () => {
      const versionIn = (header: string) => {
        const decoded = decodeRecord(epoch(Buffer.from(header)));
        return decoded.outcome === 'event' ? decoded.event.version : decoded;
      };
      expect(['0', '3', '1000000'].map(versionIn)).to.deep.equal([12, [3, 12], [1_000_000, 12]]);
    });
    for (const bad of ['', '-1', '1.5', '1e3', ' 1', '1000001', '9007199254740992', 'x'])
      it(`with epoch ${JSON.stringify(bad)} is refused`, () =>
        expect(reasonOf(epoch(Buffer.from(bad)))).to.equal('tombstone-without-version'));
    it('is refused if its epoch is null or repeated', () => {
      expect(reasonOf(epoch(null))).to.equal('tombstone-without-version');
      expect(reasonOf(epoch([Buffer.from('1'), Buffer.from('1')]))).to.equal('tombstone-without-version');
    });
    it('is refused if its version is null', () =>
      expect(reasonOf(record(null, 'a-1', { version: null }))).to.equal('tombstone-without-version'));
    it('is refused without a version', () =>
      expect(reasonOf(record(null))).to.equal('tombstone-without-version'));
    it('is refused if its key is not a listing id', () =>
      expect(reasonOf(record(null, 'a b', { version: Buffer.from('1') }))).to.equal('schema'));
  });

  describe('the trace that a record belongs to', () => {
    const own = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const hop = `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01`;
    const traceOf = (raw: RawRecord) => {
      const decoded = decodeRecord(raw);
      return decoded.outcome === 'event' ? decoded.traceparent : decoded.outcome;
    };
    const header = { traceparent: Buffer.from(hop) };

    it('comes from the header, otherwise from the event', () => {
      expect(traceOf(record(envelope()))).to.equal(undefined);
      expect(traceOf(record(envelope({ traceparent: own })))).to.equal(own);
      expect(traceOf(record(envelope({ traceparent: own }), 'a-1', header))).to.equal(hop);
    });
    it('is absent if it is invalid, but the record is still accepted', () => {
      for (const traceparent of [7, null, '', `${own}0`, own.toUpperCase(), {}])
        expect(traceOf(record(envelope({ traceparent })))).to.equal(undefined);
      expect(
        traceOf(record(envelope(), 'a-1', { traceparent: [Buffer.from(hop), Buffer.from(own)] })),
      ).to.equal(undefined);
    });
  });

  describe('binary mode', () => {
    const { data, ...attributes } = envelope();
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`ce_${name}`, Buffer.from(String(value))]),
    );
    it('reads the attributes from headers and the data from the value', () =>
      expect(decodeRecord(record(data, 'a-1', headers))).to.deep.equal(decodeRecord(record(envelope()))));
    it('accepts a content type with parameters', () =>
      expect(
        reasonOf(
          record(data, 'a-1', { ...headers, 'content-type': Buffer.from('application/json; charset=UTF-8') }),
        ),
      ).to.equal('event'));
    it('refuses another content type', () =>
      expect(
        reasonOf(record(data, 'a-1', { ...headers, 'content-type': Buffer.from('text/plain') })),
      ).to.equal('schema'));
    it('treats a structured content type as structured mode', () =>
      expect(
        reasonOf(
          record(envelope(), 'a-1', {
            ...headers,
            'content-type': Buffer.from('application/cloudevents+json'),
          }),
        ),
      ).to.equal('event'));
    it('refuses a duplicate attribute', () =>
      expect(
        reasonOf(record(data, 'a-1', { ...headers, ce_id: [Buffer.from('1'), Buffer.from('2')] })),
      ).to.equal('schema'));
    it('refuses a missing attribute', () =>
      expect(reasonOf(record(data, 'a-1', { ...headers, ce_subject: undefined }))).to.equal('schema'));
  });

  it('never throws, for any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    const json = fc.json().map((text) => Buffer.from(text));
    fc.assert(
      fc.property(
        fc.oneof(bytes, json, fc.constant(null)),
        fc.oneof(bytes, fc.constant(null)),
        fc.dictionary(
          fc.constantFrom('version', 'content-type', 'ce_specversion', 'ce_type', 'ce___proto__'),
          bytes,
        ),
        (value, key, headers) => {
          expect(decodeRecord({ key, value, headers }).outcome).to.be.oneOf(['event', 'skipped', 'refused']);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
