import { expect } from 'chai';
import { pendingRange } from './pending-records.ts';

describe('the records that a generation has not folded', () => {
  it('begin at the commit, or at the start of the group, and end before open transactions', () => {
    const offsets = [
      { partition: 0, low: 0n, committed: 7n, stable: 9n },
      { partition: 1, low: 0n, committed: undefined, stable: 5n },
      { partition: 2, low: 3n, committed: undefined, stable: 4n },
      { partition: 3, low: 6n, committed: 2n, stable: 8n },
      { partition: 4, low: 0n, committed: 8n, stable: 8n },
    ];
    expect(pendingRange(offsets, { 1: '4' })).to.deep.equal([
      { partition: 0, from: 7n, to: 9n },
      { partition: 1, from: 4n, to: 5n },
      { partition: 2, from: 3n, to: 4n },
      { partition: 3, from: 6n, to: 8n },
    ]);
  });
});
