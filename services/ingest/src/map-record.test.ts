import type { FetchedRecord } from '@vitrine/kafka';
import { expect } from 'chai';
import { mapRecord } from './map-record.ts';
import type { ListingEvent, MappingRecord } from './mapping.ts';

const record: FetchedRecord = {
  topic: 'source',
  partition: 2,
  offset: '41',
  timestamp: Date.parse('2026-11-01T12:00:00Z'),
  key: Buffer.from('k'),
  value: Buffer.from('v'),
  headers: { a: [Buffer.from('1'), Buffer.from('2')], none: null, traceparent: Buffer.from('t') },
};
const mapped = (map: (record: MappingRecord) => unknown, maxVersion?: number) =>
  mapRecord(
    { topics: ['source'], format: 'json', map: map as () => ListingEvent[] },
    record,
    { key: 'k', value: { v: 1 } },
    maxVersion,
  );
const removed = { kind: 'removed', id: 'a', version: 7 };

describe('mapRecord', () => {
  it('gives the mapping the decoded record', () => {
    let given: unknown;
    mapped((one) => {
      given = one;
      return [];
    });
    expect(given).to.deep.equal({
      topic: 'source',
      partition: 2,
      offset: 41,
      timestamp: record.timestamp,
      key: 'k',
      value: { v: 1 },
      headers: { a: '2', traceparent: 't' },
    });
  });

  it('composes an event with an id of its position, the topic as source, and the time of the record', () => {
    const result = mapped(() => [removed, { ...removed, time: 0, source: '/other' }]);
    const messages = 'messages' in result ? result.messages : [];
    expect(messages.map(({ value }) => JSON.parse(String(value)))).to.deep.equal([
      {
        specversion: '1.0',
        id: 'source/2/41/0',
        source: '/ingest/source',
        type: 'marketplace.listing.removed',
        subject: 'a',
        time: '2026-11-01T12:00:00.000Z',
        datacontenttype: 'application/json',
        data: { version: 7 },
      },
      {
        specversion: '1.0',
        id: 'source/2/41/1',
        source: '/other',
        type: 'marketplace.listing.removed',
        subject: 'a',
        time: '1970-01-01T00:00:00.000Z',
        datacontenttype: 'application/json',
        data: { version: 7 },
      },
    ]);
    expect(String(messages[0]?.key)).to.equal('a');
    expect(String(messages[0]?.headers?.traceparent)).to.equal('t');
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  for (const [what, result, detail] of [
    ['a promise', Promise.resolve([]), /returned a promise instead of an array/],
    ['no array', { kind: 'removed' }, /returned \{"kind":"removed"\} instead/],
    ['too many events', Array(10_001).fill(removed), /returned 10001 events; the limit is 10000/],
    [
      'events that are too large together',
      Array(200).fill({ kind: 'changed', id: 'a', version: 7, fields: { title: 'x'.repeat(99_000) } }),
      /events of more than 16777216 bytes/,
    ],
    ['an unknown kind', [{ ...removed, kind: 'sold' }], /event 1 of 1.*the kind "sold" does not exist/],
    ['null', [null], /event 1 of 1, null, is not an event/],
    ['a snapshot without fields', [{ ...removed, kind: 'snapshot' }], /the fields are undefined instead/],
    ['text as fields', [{ ...removed, kind: 'snapshot', fields: 'a' }], /the fields are "a" instead/],
    ['a promise of fields', [{ ...removed, kind: 'snapshot', fields: Promise.resolve() }], /the fields are/],
    ['a negative epoch', [{ ...removed, version: [-1, 7] }], /\[-1,7\] is not \[epoch, version\]/],
    ['a NaN as the epoch', [{ ...removed, version: [Number.NaN, 7] }], /is not \[epoch, version\]/],
    ['an event without id', [{ ...removed, id: undefined }], /is not an event/],
    ['a bigint', [{ kind: 'changed', id: 'a', version: 7, fields: { price: 7n } }], /is not an event/],
    ['a cyclic event', [cyclic], /is not an event/],
    ['an invalid time', [{ ...removed, time: Number.NaN }], /is not an event: .*time/],
  ] as const)
    it(`refuses a mapping that returns ${what}`, () => {
      const outcome = mapped(() => result);
      expect(outcome).to.have.property('reason', 'mapping-failed');
      expect('detail' in outcome && outcome.detail).to.match(detail);
    });

  it('refuses a mapping that throws', () =>
    expect(
      mapped(() => {
        throw new Error('no column');
      }),
    ).to.deep.equal({ reason: 'mapping-failed', detail: 'the mapping threw Error: no column' }));

  it('refuses what JSON cannot express, whatever the mapping returns or throws', () => {
    const changed = (fields: object) => () => [{ kind: 'changed', id: 'a', version: 1, fields }];
    const circular: { self?: object } = {};
    circular.self = circular;
    for (const result of [5n, { a: 5n }, circular, Object.create(null), [5n], [circular]])
      expect(
        mapped(() => result),
        typeof result,
      ).to.have.property('reason', 'mapping-failed');
    for (const error of [Object.create(null), 5n, Symbol('a'), circular])
      expect(
        mapped(() => {
          throw error;
        }),
      ).to.have.property('reason', 'mapping-failed');
    for (const price of [Number.NaN, Number.POSITIVE_INFINITY, 5n])
      expect(mapped(changed({ price })), String(price)).to.have.property('reason', 'mapping-failed');
    expect(mapped(changed({ price: null }))).to.have.property('messages');
  });

  it('ignores the rejection of a promise, because nobody waits for it', async () => {
    const rejected: unknown[] = [];
    const note = (reason: unknown) => void rejected.push(reason);
    // Mocha reports such a rejection as a failure of another test.
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', note);
    const rejection = () => Promise.reject(new Error('late'));
    try {
      for (const result of [rejection, () => [rejection()], () => [{ ...removed, fields: rejection() }]])
        expect(mapped(result)).to.have.property('reason', 'mapping-failed');
      await new Promise(setImmediate);
    } finally {
      process.removeListener('unhandledRejection', note);
      for (const other of others) process.on('unhandledRejection', other);
    }
    expect(rejected).to.deep.equal([]);
  });

  it("refuses events that the projector would refuse, with the projector's reason", () => {
    expect(mapped(() => [removed], 6)).to.have.property('reason', 'version-too-high');
    expect(mapped(() => [{ ...removed, version: 0 }])).to.have.property('reason', 'schema');
  });
});
