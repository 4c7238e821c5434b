import { expect } from 'chai';
import type { MappingRecord } from '../mapping.ts';
import { wholeListing } from './whole-listing.ts';

interface Product {
  name: string;
  changed: number;
  gone?: boolean;
}

const record = (value: Product | null, headers: Record<string, string> = {}): MappingRecord<Product> => ({
  topic: 'products',
  partition: 1,
  offset: 41,
  timestamp: 0,
  key: 'casa',
  value,
  headers,
});
const availability = [{ date: '2026-11-02', available: true }];
const shared = {
  topic: 'products',
  listing: ({ name }: Product) => ({ title: name, availability }),
  isRemoved: ({ gone }: Product) => gone === true,
};
const casa = { name: 'Casa', changed: 7 };

describe('wholeListing', () => {
  const byOffset = wholeListing<Product>({ ...shared, version: 'offset' });
  const byField = wholeListing<Product>({ ...shared, version: ({ changed }) => changed, versionEpoch: 3 });

  it('a record is a snapshot whose version is the offset, counted from 1', () =>
    expect(byOffset.map(record(casa))).to.deep.equal([
      { id: 'casa', version: 42, kind: 'snapshot', fields: { title: 'Casa' }, dates: availability },
    ]));

  it('a value of the record can be the version, with an epoch', () =>
    expect(byField.map(record(casa))[0]?.version).to.deep.equal([3, 7]));

  it('a tombstone and a value that says so remove the listing', () => {
    const removed = { id: 'casa', version: 42, kind: 'removed' };
    expect(byOffset.map(record(null))).to.deep.equal([removed]);
    expect(byOffset.map(record({ ...casa, gone: true }))).to.deep.equal([removed]);
  });

  it('a tombstone without a field has its version in a header', () => {
    expect(byField.map(record(null, { version: '9' }))[0]?.version).to.deep.equal([3, 9]);
    expect(() => byField.map(record(null))).to.throw('header version');
  });

  it('refuses functions that are asynchronous, and a listing that is not an object', () => {
    const refused = (wrong: object) =>
      expect(() => wholeListing({ ...shared, version: 'offset', ...wrong }).map(record(casa))).to;
    refused({ listing: async () => ({}) }).throw('listing returned a promise');
    refused({ isRemoved: async () => false }).throw('isRemoved returned a promise');
    for (const listing of ['Casa', 7, ['Casa']]) refused({ listing: () => listing }).throw('of an object');
  });

  it('refuses a key that is not text, unless the mapping names the id', () => {
    const keyless = { ...record(casa), key: null };
    expect(() => byOffset.map(keyless)).to.throw('Set id in the mapping');
    const { map } = wholeListing<Product>({
      ...shared,
      version: 'offset',
      id: ({ value }) => value?.name ?? '',
    });
    expect(map(keyless)[0]?.id).to.equal('Casa');
  });
});
