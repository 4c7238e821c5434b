import { expect } from 'chai';
import { newest } from './topic-part.ts';

const range = (...sizes: number[]) =>
  sizes.map((size, partition) => ({ partition, from: 100n, to: 100n + BigInt(size) }));
const sizes = (...parts: Parameters<typeof newest>) =>
  newest(...parts).map(({ partition, from, to }) => [partition, Number(to - from)]);

describe('the newest records of a topic', () => {
  it('are at the end of each partition', () =>
    expect(newest(range(50), 20)).to.deep.equal([{ partition: 0, from: 130n, to: 150n }]));

  it('come from all partitions, and short partitions leave their share to others', () => {
    expect(sizes(range(50, 50), 20)).to.deep.equal([
      [0, 10],
      [1, 10],
    ]);
    expect(sizes(range(50, 3, 50), 21)).to.deep.equal([
      [0, 9],
      [1, 3],
      [2, 9],
    ]);
    expect(sizes(range(50, 50, 50), 2)).to.have.length(2);
  });

  it('are all records if there are fewer', () =>
    expect(sizes(range(5, 3), 20)).to.deep.equal([
      [0, 5],
      [1, 3],
    ]));
});
