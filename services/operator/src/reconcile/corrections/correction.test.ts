import { EMPTY_STATE, RULES } from '@vitrine/listing';
import { decodeRecord, EVENT_HEADERS } from '@vitrine/listing-events';
import { expect } from 'chai';
import { checkCandidate } from '../check-candidates.ts';
import { fromRecord, toSourceLine } from '../source/source-line.ts';
import { correctingVersion, removalOf, snapshotOf } from './correction.ts';
import { allowedRemovals, excessiveRemovals, parseMaxRemovals } from './max-removals.ts';

const AS_OF = { asOf: '2026-11-25T03:00:00.000Z' };
const TOP = Number.MAX_SAFE_INTEGER;
const WHOLE = {
  specversion: '1.0',
  type: 'marketplace.listing.snapshot',
  subject: 'a',
  data: { version: 3, listing: { title: 'Casa', price: 10 } },
};

describe('a correction', () => {
  it('takes the version above the highest one, in its epoch or in the next one', () => {
    expect(correctingVersion(undefined)).to.equal(1);
    expect(correctingVersion(7)).to.equal(8);
    expect(correctingVersion([2, 7])).to.deep.equal([2, 8]);
    expect(correctingVersion(TOP)).to.deep.equal([1, 1]);
    expect(correctingVersion([1_000_000, TOP])).to.equal(undefined);
  });

  it("takes the source's own version if that is higher", () => {
    expect(correctingVersion(7, 20)).to.equal(20);
    expect(correctingVersion(7, 7)).to.equal(8);
    expect(correctingVersion(7, 3)).to.equal(8);
    expect(correctingVersion(undefined, 3)).to.equal(3);
    expect(correctingVersion(7, [1, 1])).to.deep.equal([1, 1]);
  });

  it('takes no version above MAX_VERSION, which the projector would refuse', () => {
    expect(correctingVersion(900, undefined, 1_000)).to.equal(901);
    expect(correctingVersion(1_000, undefined, 1_000)).to.deep.equal([1, 1]);
    expect(correctingVersion([1, TOP - 1], undefined, 1_000)).to.deep.equal([2, 1]);
    expect(correctingVersion(7, 5_000, 1_000)).to.equal(8);
    expect(correctingVersion(undefined, 5_000, 1_000)).to.equal(1);
    expect(removalOf('a', TOP - 1, { ...AS_OF, maxVersion: 1_000 }).event?.data).to.include({
      version: 1,
      version_epoch: 1,
    });
  });

  it('is an event that the projector accepts, with an id that depends only on its content', () => {
    const line = toSourceLine(1, WHOLE);
    for (const { event } of [removalOf('a', [2, 7], AS_OF), snapshotOf(line, 7, AS_OF)]) {
      const record = {
        key: Buffer.from('a'),
        value: Buffer.from(JSON.stringify(event)),
        headers: EVENT_HEADERS,
      };
      expect(decodeRecord(record)).to.have.property('outcome', 'event');
    }
    const { event } = snapshotOf(line, 7, AS_OF);
    expect(event).to.deep.include({ subject: 'a', time: AS_OF.asOf });
    expect(event?.data).to.include({ version: 8 }).and.not.to.have.property('version_epoch');
    expect(snapshotOf(line, 7, { asOf: '2026-11-26T03:00:00.000Z' }).event?.id).to.equal(event?.id);
    expect(snapshotOf(line, 8, AS_OF).event?.id).not.to.equal(event?.id);
    expect(removalOf('a', [2, 7], AS_OF).event?.data).to.include({ version: 8, version_epoch: 2 });
  });

  it('is impossible for a line without the whole listing, for a refused value, and above the highest version', () => {
    expect(snapshotOf(fromRecord(1, { id: 'a', title: 'x' }), 1, AS_OF)).to.include({
      why: 'incomplete-line',
    });
    const bad = toSourceLine(1, { ...WHOLE, data: { version: 3, listing: { title: 5 } } });
    expect(snapshotOf(bad, 1, AS_OF)).to.include({ why: 'refused' });
    expect(removalOf('a', [1_000_000, TOP], AS_OF)).to.include({ why: 'no-version' });
  });
});

describe('the limit of removals', () => {
  it('is a number or a share of the live items', () => {
    expect(allowedRemovals(parseMaxRemovals('20') ?? { items: 0 }, 100)).to.equal(20);
    expect(allowedRemovals(parseMaxRemovals('1%') ?? { items: 0 }, 250)).to.equal(2);
    expect(allowedRemovals(parseMaxRemovals('0.5%') ?? { items: 0 }, 1_000)).to.equal(5);
    expect(excessiveRemovals({ percent: 1 }, 2, 250)).to.equal(undefined);
    expect(excessiveRemovals({ percent: 1 }, 3, 250)).to.contain('would remove 3 of 250 live items');
    for (const text of ['', '%', '-1', '1.5', '101%', '1 %', 'x'])
      expect(parseMaxRemovals(text)).to.equal(undefined);
  });
});

describe('a listing that may differ', () => {
  const comparing = { rules: RULES, today: '2026-12-01' };
  const facts = { stored: {}, written: false, pending: false, hasDeadLetter: false };
  const line = fromRecord(1, { id: 'a' });
  const check = (more: Partial<typeof facts> | object, asOf = 1_000) =>
    checkCandidate(['a', line, false], { ...facts, ...more }, comparing, asOf, 5_000);

  it('is changed if its state was written since the start, or received an event after the dump', () => {
    expect(check({})).to.deep.equal({
      kind: 'missing',
      difference: { id: 'a', kind: 'missing', why: 'unseen' },
    });
    const state = { ...EMPTY_STATE, removed: 1, last_time: 2_000 };
    expect(check({ written: true })).to.deep.equal({ kind: 'changed' });
    expect(check({ pending: true })).to.deep.equal({ kind: 'changed' });
    expect(check({ stored: { state } })).to.deep.equal({ kind: 'changed' });
    expect(check({ stored: { state } }, 2_000)).to.have.property('kind', 'missing');
    // A time in the future proves nothing.
    expect(check({ stored: { state: { ...state, last_time: 6_000 } } })).to.have.property('kind', 'missing');
  });

  it('is a dead letter only if no event was accepted', () => {
    expect(check({ hasDeadLetter: true }).difference).to.include({ why: 'dead-letter' });
    const stored = { state: { ...EMPTY_STATE, removed: 1 } };
    expect(check({ stored, hasDeadLetter: true }).difference).to.include({ why: 'removed' });
  });

  it('is extra only while the feed has its item', () =>
    expect(checkCandidate(['a', null, true], facts, comparing, 0)).to.deep.equal({ kind: 'equal' }));
});
