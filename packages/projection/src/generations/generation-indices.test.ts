import { expect } from 'chai';
import { sizeOf } from './generation-indices.ts';

describe('the size of a generation', () => {
  const settings = { INDEX_PREFIX: 'p', INDEX_SHARDS: 3 };

  it('uses a fixed number of replicas, and disables auto-expansion', () =>
    expect(sizeOf({ ...settings, INDEX_REPLICAS: '2' })).to.deep.equal({
      number_of_shards: 3,
      auto_expand_replicas: 'false',
      number_of_replicas: '2',
    }));

  it('uses auto-expansion for a range', () =>
    expect(sizeOf({ ...settings, INDEX_REPLICAS: '0-1' })).to.deep.equal({
      number_of_shards: 3,
      auto_expand_replicas: '0-1',
    }));
});
