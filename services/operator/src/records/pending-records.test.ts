import { expect } from 'chai';
import { pendingRanges } from './pending-records.ts';

describe('the records that a generation has not folded', () => {
  it('begin at the commit, or at the start of the group', () => {
    const offsets = [
      { partition: 0, low: 0n, committed: 7n, stable: 9n, end: 9n },
      { partition: 1, low: 0n, committed: undefined, stable: 5n, end: 5n },
      { partition: 2, low: 3n, committed: undefined, stable: 4n, end: 4n },
      { partition: 3, low: 6n, committed: 2n, stable: 8n, end: 8n },
      { partition: 4, low: 0n, committed: 8n, stable: 8n, end: 8n },
    ];
    expect(pendingRanges(offsets, { 1: '4' })).to.deep.equal({
      stable: [
        { partition: 0, from: 7n, to: 9n },
        { partition: 1, from: 4n, to: 5n },
        { partition: 2, from: 3n, to: 4n },
        { partition: 3, from: 6n, to: 8n },
      ],
      open: [],
    });
  });

  it('include open transactions and the records behind them', () => {
    const offsets = [
      { partition: 0, low: 0n, committed: 3n, stable: 5n, end: 9n },
      { partition: 1, low: 0n, committed: 5n, stable: 5n, end: 6n },
    ];
    expect(pendingRanges(offsets, {})).to.deep.equal({
      stable: [{ partition: 0, from: 3n, to: 5n }],
      open: [
        { partition: 0, from: 5n, to: 9n },
        { partition: 1, from: 5n, to: 6n },
      ],
    });
  });
});
