import { expect } from 'chai';
import { FirstRows } from './recorded-rows.ts';

describe('the recorded rows of a comparison', () => {
  it('are the first 1,000', () => {
    const first = new FirstRows<number>();
    for (let row = 0; row < 2_000; row++) first.add(row);
    expect([first.rows.length, first.rows.at(-1)]).to.deep.equal([1_000, 999]);
  });

  it('end before 4 MiB, even if a later row is small', () => {
    const first = new FirstRows<string>();
    for (const row of ['a'.repeat(3 * 1024 * 1024), 'b'.repeat(2 * 1024 * 1024), 'c']) first.add(row);
    expect(first.rows).to.have.length(1);
  });
});
