import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY_STATE, RULES } from '@vitrine/listing';
import type { ListingFields, Version } from '@vitrine/listing-events';
import { expect } from 'chai';
import type { StoredListing } from '../../verify/stored-listing.ts';
import type { ReportedDifference } from '../check-candidates.ts';
import { expectedListing } from '../expected-listing.ts';
import { toSourceLine } from '../source/source-line.ts';
import { Corrections } from './corrections.ts';

const LISTING = { title: 'Casa', price: 10, location: { city: 'Rio' }, url: 'https://vitrine.example/a' };
const lineOf = (version: number, listing: Partial<ListingFields>) =>
  toSourceLine(1, {
    specversion: '1.0',
    type: 'marketplace.listing.snapshot',
    subject: 'a',
    data: { version, listing },
  });

describe('the corrections of a comparison', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'corrections-test-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const countsOf = async (
    listing: Partial<ListingFields>,
    stored: StoredListing,
    members: Record<string, { source: unknown; feed: unknown }>,
    keeps = true,
  ) => {
    const corrections = await Corrections.create(folder, { asOf: '2026-11-25T03:00:00.000Z', rules: RULES });
    const difference: ReportedDifference = { id: 'a', kind: 'different', members };
    const result = { kind: 'different', difference } as const;
    await corrections.add({ candidate: ['a', lineOf(5, listing), true], stored, result }, keeps);
    if (!keeps) expect(corrections.count).to.equal(0);
    await corrections.close();
    return corrections.counts;
  };
  const storedWith = (version: Version): StoredListing => ({
    state: { ...EMPTY_STATE, fields: { title: [version, 'Casa'] } },
    revision: 1,
    // The corrections depend only on whether the feed has an item.
    item: expectedListing(lineOf(5, LISTING), RULES).item as StoredListing['item'] & object,
  });
  const price = { price: { source: 0, feed: 10 } };

  it('count a snapshot that hides a live item', async () => {
    expect(await countsOf({ ...LISTING, price: 0 }, storedWith(7), price)).to.include({
      snapshots: 1,
      hiding: 1,
    });
    expect(await countsOf({ ...LISTING, price: 0 }, storedWith(7), price, false)).to.include({ hiding: 1 });
    expect(await countsOf({ ...LISTING, price: 0 }, {}, price)).to.include({ snapshots: 1, hiding: 0 });
    expect(await countsOf({ ...LISTING, price: 9 }, storedWith(7), price)).to.include({
      snapshots: 1,
      hiding: 0,
    });
  });

  it('leave equal content with a higher version in the feed alone', async () => {
    const version = { version: { source: 5, feed: 7 } };
    const alone = await countsOf(LISTING, storedWith(7), version);
    expect(alone).to.include({ snapshots: 0 });
    expect(alone.impossible).to.have.property('only-version').with.property('count', 1);
    const epoch = { version_epoch: { source: 0, feed: 1 } };
    expect(await countsOf(LISTING, storedWith([1, 5]), epoch)).to.include({ snapshots: 0 });
    // The event with a higher version is missing.
    expect(await countsOf(LISTING, storedWith(4), version)).to.include({ snapshots: 1 });
    expect(await countsOf(LISTING, storedWith(7), { ...version, ...price })).to.include({ snapshots: 1 });
  });
});
