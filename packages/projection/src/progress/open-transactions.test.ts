import { expect } from 'chai';
import { OpenTransactions } from './open-transactions.ts';

describe('OpenTransactions', () => {
  const held = (offset: bigint, records = 1n) => [{ partition: 3, offset, records }];

  it('reports a transaction once, after the limit, and its end', () => {
    const transactions = new OpenTransactions(60_000);
    expect(transactions.observe(1_000, held(7n))).to.deep.equal({ long: [], ended: [] });
    expect(transactions.observe(60_999, held(7n))).to.deep.equal({ long: [], ended: [] });
    const long = { partition: 3, offset: 7n, records: 5n, since: 1_000, isReported: true };
    expect(transactions.observe(61_000, held(7n, 5n))).to.deep.equal({ long: [long], ended: [] });
    expect(transactions.observe(90_000, held(7n, 5n))).to.deep.equal({ long: [], ended: [] });
    expect(transactions.observe(95_000, [])).to.deep.equal({ long: [], ended: [long] });
    expect(transactions.all()).to.deep.equal([]);
  });
  it('does not report a sequence of short transactions', () => {
    const transactions = new OpenTransactions(60_000);
    for (let now = 0; now < 300_000; now += 30_000)
      expect(transactions.observe(now, held(BigInt(now)))).to.deep.equal({ long: [], ended: [] });
    expect(transactions.all()).to.have.length(1);
  });
});
