import { expect } from 'chai';
import { IdSample } from './id-sample.ts';

describe('sample of ids', () => {
  const ids = Array.from({ length: 100 }, (_, i) => `item-${100 + i}`);
  const sample = new IdSample(ids);

  it('estimates the share of the ids between two of them', () => {
    expect(sample.shareBetween('item-110', 'item-135')).to.equal(0.25);
    expect(sample.shareBetween('a', 'z')).to.equal(1);
    expect(sample.shareBetween('item-1105', 'item-1109'), 'within one step').to.equal(0);
  });

  it('finds an id after at least a share of them', () => {
    for (const share of [0, 0.001, 0.1, 0.55]) {
      const next = sample.next(share, 'item-1205') ?? expect.fail('no id');
      expect(sample.shareBetween('item-1205', next)).to.be.within(share, share + 0.03);
    }
    expect(sample.next(0, 'a')).to.equal('item-101');
    expect(sample.next(0.9, 'item-150'), 'too few follow').to.equal(undefined);
    expect(new IdSample([]).next(0, 'a')).to.equal(undefined);
  });
});
