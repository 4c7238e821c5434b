import { expect } from 'chai';
import { operationOf } from './metrics.ts';

describe('operationOf', () => {
  it('derives the API from a path, for any index name', () => {
    const paths = [
      '/_bulk',
      '/feed-items/_search',
      '/feed_states-1-writer/_mget',
      '/feed-generations/_doc/registry',
      '/_alias/a,b',
      '/feed-items-1',
    ];
    expect(paths.map(operationOf)).to.deep.equal(['bulk', 'search', 'mget', 'doc', 'alias', 'index']);
  });
});
