import type { SourceRecord } from '@vitrine/kafka';
import { expect } from 'chai';
import { decodeRecords } from './decoded-records.ts';

const record = (offset: number, key: string, value: string): SourceRecord => ({
  topic: 't',
  partition: 0,
  offset: String(offset),
  key: Buffer.from(key),
  value: Buffer.from(value),
});
const event = (id: string, version: number, type = 'marketplace.listing.removed') =>
  JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source: 's',
    type,
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version },
  });

describe('decodeRecords', () => {
  it("refuses a version above the bound for the record's timestamp", () => {
    const records = [50, 100].map((timestamp, offset) => ({
      ...record(offset, 'a', event('a', 70)),
      timestamp,
    }));
    const { events, deadLetters } = decodeRecords(records, undefined, (timestamp = 0) => timestamp);
    expect(events.get('a')).to.have.length(1);
    expect(deadLetters.map(({ record, reason }) => [record.offset, reason])).to.deep.equal([
      ['0', 'version-too-high'],
    ]);
  });

  it('groups the events by listing in their order, and separates the other records', () => {
    const records = [
      record(0, 'a', event('a', 1)),
      record(1, 'b', event('b', 1)),
      record(2, 'a', event('a', 2)),
      record(3, 'a', 'poison'),
      record(4, 'a', event('a', 3, 'other.type')),
    ];
    const decoded = decodeRecords(records);
    expect(
      [...decoded.events].map(([id, events]) => [id, events.map(({ version }) => version)]),
    ).to.deep.equal([
      ['a', [1, 2]],
      ['b', [1]],
    ]);
    expect(decoded.sources.get('a')?.map(({ offset }) => offset)).to.deep.equal(['0', '2']);
    expect(decoded.deadLetters.map(({ record: { offset }, reason }) => [offset, reason])).to.deep.equal([
      ['3', 'not-json'],
    ]);
    expect(decoded.skipped).to.equal(1);
  });
  it('adds to the records that were decoded before', () => {
    const together = [
      record(0, 'a', event('a', 1)),
      record(1, 'a', 'poison'),
      record(2, 'a', event('a', 2)),
      record(3, 'b', event('b', 1)),
    ];
    const before = decodeRecords(together.slice(0, 2));
    expect(decodeRecords(together.slice(2), before)).to.equal(before);
    expect(before).to.deep.equal(decodeRecords(together));
  });
});
