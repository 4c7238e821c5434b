import type { SourceRecord } from '@vitrine/kafka';
import { expect } from 'chai';
import { recordIdentity } from './dead-letter.ts';

describe('recordIdentity', () => {
  const record: SourceRecord = {
    topic: 't',
    partition: 1,
    offset: '7',
    key: Buffer.from('a'),
    value: Buffer.from('b'),
    headers: { h: 'c' },
  };

  it('is the same for the same record, for any order and type of its headers', () => {
    const read = { ...record, headers: { h: Buffer.from('c') } };
    expect(recordIdentity(read)).to.equal(recordIdentity(record)).and.to.have.length(22);
    const two = { h: 'c', g: null };
    expect(recordIdentity({ ...record, headers: two })).to.equal(
      recordIdentity({ ...record, headers: { g: null, h: 'c' } }),
    );
  });

  for (const [what, changes] of [
    ['topic', { topic: 'u' }],
    ['topic id', { topicId: 'ABEiM0RVZneImaq7zN3u_w' }],
    ['partition', { partition: 2 }],
    ['offset', { offset: '8' }],
    ['key', { key: Buffer.from('b') }],
    ['missing key', { key: null }],
    ['value', { value: Buffer.from('c') }],
    ['missing value', { value: null }],
    ['empty value', { value: Buffer.alloc(0) }],
    ['header', { headers: { h: 'd' } }],
    ['header name', { headers: { i: 'c' } }],
    ['null header', { headers: { h: null } }],
    ['repeated header', { headers: { h: ['c', 'c'] } }],
    ['missing headers', { headers: {} }],
    ['boundary between key and value', { key: Buffer.from('ab'), value: Buffer.alloc(0) }],
  ] as const)
    it(`differs for another ${what}`, () =>
      expect(recordIdentity({ ...record, ...(changes as Partial<SourceRecord>) })).not.to.equal(
        recordIdentity(record),
      ));

  it('differs between a missing key and a missing value', () =>
    expect(recordIdentity({ ...record, key: null })).not.to.equal(
      recordIdentity({ ...record, value: null }),
    ));
});
