import { expect } from 'chai';
import { recordAges } from './record-ages.ts';

describe('recordAges', () => {
  /** Simulates a log. The argument contains the ages of each partition's records in seconds, oldest first. */
  const logOf = (ages: Record<number, number[]>) => {
    const asked: number[] = [];
    const firstSince = async (age: number) => {
      asked.push(age);
      return new Map(
        Object.entries(ages).map(([partition, records]): [number, bigint] => {
          const first = records.findIndex((seconds) => seconds * 1_000 <= age);
          return [Number(partition), BigInt(first === -1 ? records.length : first)];
        }),
      );
    };
    return { asked, firstSince };
  };
  const DAY = 86_400;

  it('finds ages to the second, or to 1 % of long ages', async () => {
    const { firstSince } = logOf({ 0: [0.2], 1: [500, 61.4, 3], 2: [3 * DAY, 3 * DAY - 1] });
    const records = [
      { partition: 0, offset: 0n },
      { partition: 1, offset: 1n },
      { partition: 1, offset: 0n },
      { partition: 2, offset: 1n },
    ];
    const ages = await recordAges(records, firstSince);
    expect(ages.map(({ capped }) => capped)).to.deep.equal([false, false, false, false]);
    expect(ages[0]?.seconds).to.equal(1);
    expect(ages[1]?.seconds).to.be.within(61, 63);
    expect(ages[2]?.seconds).to.be.within(500, 506);
    expect(ages[3]?.seconds).to.be.within(3 * DAY - 1, 3.04 * DAY);
  });

  it('sends no requests if there is no lag, and few requests for partitions of similar age', async () => {
    const none = logOf({});
    expect(await recordAges([], none.firstSince)).to.deep.equal([]);
    expect(none.asked).to.deep.equal([]);
    const many = logOf(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i, [40]])));
    await recordAges(
      Array.from({ length: 50 }, (_, partition) => ({ partition, offset: 0n })),
      many.firstSince,
    );
    expect(many.asked.length).to.be.below(15);
  });

  it('stops at thirty days, or if the record or its partition does not exist', async () => {
    const { firstSince, asked } = logOf({ 0: [31 * DAY], 1: [] });
    const ages = await recordAges(
      [0, 1, 2].map((partition) => ({ partition, offset: partition === 1 ? -1n : 0n })),
      firstSince,
    );
    expect(ages).to.deep.equal([0, 1, 2].map(() => ({ seconds: 30 * DAY, capped: true })));
    expect(asked.length).to.be.below(30);
  });

  it('treats a record from the future as new', async () => {
    const { firstSince } = logOf({ 0: [-100] });
    expect(await recordAges([{ partition: 0, offset: 0n }], firstSince)).to.deep.equal([
      { seconds: 1, capped: false },
    ]);
  });
});
