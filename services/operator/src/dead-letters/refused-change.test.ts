import { EMPTY_STATE, fold } from '@vitrine/listing';
import { type RawRecord, type Version, versionOf } from '@vitrine/listing-events';
import { expect } from 'chai';
import { correctedBy, refusedChange } from './refused-change.ts';

const record = (type: string, data: object, key: string | null = 'a'): RawRecord => ({
  key: key === null ? null : Buffer.from(key),
  value: Buffer.from(JSON.stringify({ type: `marketplace.listing.${type}`, subject: 'a', data })),
});
const FIELDS = [
  'ad_type,title,description,category,sub_category,price,location,provider,rating,review_count,images,url',
  'published_at',
]
  .join()
  .split(',');
/** A state with every field at one version. */
const whole = (version: Version) =>
  fold(EMPTY_STATE, [
    { kind: 'snapshot', id: 'a', version, fields: Object.fromEntries(FIELDS.map((name) => [name, null])) },
  ]);
const corrected = (refused: RawRecord, state: Parameters<typeof correctedBy>[0]) => {
  const change = refusedChange(refused);
  return change && correctedBy(state, change);
};

describe('what a refused record would have changed', () => {
  it('is harmless if the state holds its version or a higher one of every member', () => {
    const state = fold(whole(7), [{ kind: 'changed', id: 'a', version: 9, fields: { price: 5 } }]);
    const price = (version: unknown) => record('changed', { version, changes: { price: 'x' } });
    expect(corrected(price(8), state)).to.equal(9);
    expect(corrected(price(9), state)).to.equal(9);
    expect(corrected(price('9'), state)).to.equal(9);
    expect(corrected(price(10), state)).to.equal(undefined);
    expect(corrected(record('changed', { version: 7, changes: { price: 1, title: 2 } }), state)).to.equal(7);
    expect(corrected(record('changed', { version: 8, changes: { price: 1, title: 2 } }), state)).to.equal(
      undefined,
    );
    expect(corrected(price(1), EMPTY_STATE)).to.equal(undefined);
  });

  it('counts the epoch before the version', () => {
    const state = whole(versionOf(1, 2));
    expect(corrected(record('snapshot', { version: 99, listing: {} }), state)).to.deep.equal([1, 2]);
    expect(corrected(record('snapshot', { version: 1, version_epoch: 2, listing: {} }), state)).to.equal(
      undefined,
    );
  });

  it('is harmless after a removal, and a removal is harmless only below the whole content', () => {
    const removed = fold(EMPTY_STATE, [{ kind: 'removed', id: 'a', version: 8 }]);
    expect(corrected(record('changed', { version: 7, changes: { price: 1 } }), removed)).to.equal(8);
    expect(corrected(record('removed', { version: 8 }), removed)).to.equal(8);
    expect(corrected(record('removed', { version: 7 }), whole(8))).to.equal(8);
    expect(corrected(record('removed', { version: 8 }), whole(8))).to.equal(undefined);
  });

  it('with a calendar needs the same dates, or a later calendar', () => {
    const dates = [{ date: '2026-01-02', available: true }];
    const calendar = (version: number, mode: 'merge' | 'replace') =>
      fold(EMPTY_STATE, [{ kind: 'availability_changed', id: 'a', version, mode, dates }]);
    const refused = (data: object) => record('availability_changed', { version: 5, ...data });
    expect(
      corrected(refused({ dates: [{ date: '2026-01-02', available: 1 }] }), calendar(6, 'merge')),
    ).to.equal(6);
    expect(corrected(refused({ dates: [{ date: '2026-01-03' }] }), calendar(6, 'merge'))).to.equal(undefined);
    expect(corrected(refused({ dates: [{ date: '2026-01-03' }] }), calendar(6, 'replace'))).to.equal(6);
    // A long calendar consists of a replacement and of events with the same version that add dates.
    const added = refused({ mode: 'merge', dates: [{ date: '2026-01-03' }] });
    expect(corrected(added, calendar(5, 'replace'))).to.equal(undefined);
    expect(corrected(refused({ mode: 'replace', dates: [] }), calendar(5, 'replace'))).to.equal(5);
    for (const odd of [{}, { dates: 'x' }, { dates: [{ date: '__proto__' }] }, { dates: [null] }])
      expect(corrected(refused(odd), calendar(4, 'replace'))).to.equal(undefined);
  });

  it('is everything if a part of it is unreadable', () => {
    const cut = (text: string) => ({ key: Buffer.from('a'), value: Buffer.from(text) });
    expect(corrected(cut('{"data":{"version":5,"changes":{"price":'), whole(6))).to.equal(6);
    expect(corrected(cut('{"data":{"version":5,"dates":['), whole(6))).to.equal(undefined);
    expect(corrected(record('changed', { version: 5, changes: 'x' }), whole(6))).to.equal(6);
    const price = fold(EMPTY_STATE, [{ kind: 'changed', id: 'a', version: 9, fields: { price: 5 } }]);
    expect(corrected(cut('{"data":{"version":5,"changes":{"price":'), price)).to.equal(undefined);
  });

  it('is unknown without a version or a listing', () => {
    for (const data of [
      {},
      { version: 0 },
      { version: 1.5 },
      { version: -1 },
      { version: 1, version_epoch: 1e7 },
    ])
      expect(refusedChange(record('changed', { changes: { price: 1 }, ...data }))).to.equal(undefined);
    expect(refusedChange({ key: null, value: Buffer.from('{"version":5') })).to.equal(undefined);
    expect(refusedChange({ key: Buffer.from('a'), value: null })).to.equal(undefined);
    expect(refusedChange({ key: Buffer.from('a'), value: Buffer.from([0xff]) })).to.equal(undefined);
  });

  it('belongs to the subject of the event, which a wrong key hides', () =>
    expect(refusedChange(record('removed', { version: 5 }, 'b'))).to.include({ id: 'a', kind: 'removed' }));
});
