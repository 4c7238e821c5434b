import { expect } from 'chai';
import { listAdTypes, readAdType } from './ad-types.ts';

describe('ad types', () => {
  it('are read from the segment of a path, and rental is rent', () => {
    expect(['sale', 'rent', 'rental', 'service'].map(readAdType)).to.deep.equal([
      'sale',
      'rent',
      'rent',
      'service',
    ]);
    for (const other of ['', 'Rent', 'rents', 'sale ', '__proto__', 'constructor'])
      expect(readAdType(other), other).to.equal(undefined);
  });

  it('are listed in prose', () => {
    expect(listAdTypes('or')).to.equal('sale, rent or service');
    expect(listAdTypes('and', (name, { plural }) => `${name} (${plural})`)).to.equal(
      'sale (sales), rent (rentals) and service (services)',
    );
  });
});
