import { expect } from 'chai';
import { highestWithCommits } from './last-group-number.ts';

describe('the highest number whose group has commits', () => {
  const highest = (listed: readonly number[], withCommits: readonly number[], after = 0) =>
    highestWithCommits(listed, after, async (number) => withCommits.includes(number));

  it('is above the numbers of pruned generations, whose groups were deleted', async () => {
    expect(await highest([3, 5, 7], [3, 5])).to.equal(5);
    expect(await highest([], [])).to.equal(0);
    expect(await highest([2], [2], 4)).to.equal(4);
  });

  it('includes groups that are missing from the list while their coordinator is away', async () => {
    expect(await highest([], [1, 2])).to.equal(2);
    expect(await highest([3], [3, 4])).to.equal(4);
  });
});
