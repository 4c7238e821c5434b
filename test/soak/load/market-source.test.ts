import { expect } from 'chai';
import { modelOf } from '../../support/oracle/model.ts';
import { MarketSource } from './market-source.ts';

const OPTIONS = { seed: 5, restless: 200, steady: 20 };
const records = (options = OPTIONS) => {
  const market = new MarketSource(options);
  return [...market.steadyRecords(), ...market.next(4_000), ...market.next(4_000), ...market.rest()];
};

describe('MarketSource', () => {
  it('depends on the seed only', () => {
    expect(JSON.stringify(records())).to.equal(JSON.stringify(records()));
    expect(JSON.stringify(records({ ...OPTIONS, seed: 6 }))).not.to.equal(JSON.stringify(records()));
  });

  it('contains complete, hidden and removed listings, invalid and skipped records', () => {
    const { items, hidden, deadLetters, skipped } = modelOf(records());
    expect(items.size).to.be.above(60);
    expect(new Set(hidden.values())).to.include.members(['removed', 'price', 'title']);
    expect(deadLetters.length).to.be.within(40, 160);
    expect(skipped).to.be.above(10);
    for (const id of new MarketSource(OPTIONS).steadyIds) expect(items.has(id), id).to.equal(true);
  });

  it('contains duplicates, late events and events in binary mode', () => {
    const seen = new Map<string, number>();
    let [duplicates, late, binary] = [0, 0, 0];
    for (const { value, headers } of records()) {
      if (headers?.ce_type) binary++;
      if (typeof value !== 'string' || !value.startsWith('{"specversion"')) continue;
      const { id, subject, data } = JSON.parse(value) as {
        id: string;
        subject: string;
        data: { version: number };
      };
      const highest = seen.get(subject) ?? 0;
      if (seen.has(id)) duplicates++;
      else if (data.version < highest) late++;
      seen.set(id, 1);
      seen.set(subject, Math.max(highest, data.version));
    }
    expect(duplicates).to.be.above(100);
    expect(late).to.be.above(100);
    expect(binary).to.be.above(100);
  });
});
