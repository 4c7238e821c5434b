import { expect } from 'chai';
import { decodeRecord } from './decode.ts';
import { recordFaults } from './record-faults.ts';
import { versionBound, versionBoundFault } from './version-bound.ts';

const NOW = Date.UTC(2026, 10, 25);
const DAY = 86_400_000;
const boundOf = (setting: string, timestamp?: number) => versionBound(setting, () => NOW)?.(timestamp);

describe('the bound of versions', () => {
  it('is absent without a setting', () => expect(versionBound(undefined)).to.equal(undefined));

  it('is a number, or moves with the clock in milliseconds or microseconds', () => {
    expect(boundOf('5')).to.equal(5);
    expect(boundOf('now+1d')).to.equal(NOW + DAY);
    expect(boundOf('now+12h')).to.equal(NOW + DAY / 2);
    expect(boundOf('now+1d:ms')).to.equal(NOW + DAY);
    expect(boundOf('now+1d:us')).to.equal((NOW + DAY) * 1_000);
  });

  it("counts from the record's timestamp, but never from a time after now or an impossible one", () => {
    expect(boundOf('now+1d', NOW - 5 * DAY)).to.equal(NOW - 4 * DAY);
    for (const timestamp of [NOW + 5 * DAY, -1, NOW * 1e6])
      expect(boundOf('now+1d', timestamp)).to.equal(NOW + DAY);
    expect(boundOf('5', NOW - 5 * DAY)).to.equal(5);
  });

  for (const bad of [
    '',
    '0',
    '-1',
    '1.5',
    '9007199254740992',
    'now',
    'now+d',
    'now+0d',
    'now+1w',
    'now+1d:ns',
    'now-1d',
    'NOW+1d',
    ' now+1d',
    '1d',
  ])
    it(`refuses ${JSON.stringify(bad)} with all valid forms`, () => {
      expect(versionBoundFault(bad)).to.match(/^MAX_VERSION=.* must be .*now\+1d:us/);
      expect(() => versionBound(bad)).to.throw(RangeError, 'MAX_VERSION');
    });

  describe('in a record', () => {
    const record = (version: number, version_epoch?: number) => ({
      key: Buffer.from('a'),
      value: Buffer.from(
        JSON.stringify({
          specversion: '1.0',
          id: 'e',
          source: '/test',
          type: 'marketplace.listing.removed',
          subject: 'a',
          time: '2026-01-01T00:00:00Z',
          data: { version, version_epoch },
        }),
      ),
    });
    const tombstone = (version: number) => ({
      key: Buffer.from('a'),
      value: null,
      headers: { version: `${version}` },
    });

    it('refuses higher versions of every epoch, and of tombstones', () => {
      for (const burned of [record(11), record(11, 3), tombstone(11)]) {
        expect(decodeRecord(burned, 10)).to.deep.equal({
          outcome: 'refused',
          reason: 'version-too-high',
          detail: 'the version 11 is above 10, which is the highest that MAX_VERSION allows',
        });
        expect(decodeRecord(burned, 11).outcome).to.equal('event');
        expect(decodeRecord(burned).outcome).to.equal('event');
      }
    });

    it('is a fault with the place of the version', () => {
      const fault = { reason: 'version-too-high', value: 11, limit: 10 };
      expect(recordFaults(record(11), 10)).to.have.length(1);
      expect(recordFaults(record(11), 10)[0]).to.include({ ...fault, path: '/data/version' });
      expect(recordFaults(tombstone(11), 10)[0]).to.include({ ...fault, path: '' });
      expect(recordFaults(record(10), 10)).to.deep.equal([]);
    });
  });
});
