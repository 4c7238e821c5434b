import type { PartitionOffsets } from '@vitrine/kafka';
import { expect } from 'chai';
import { startPositions } from './start-positions.ts';

const offsets = (...partitions: [low: number, committed?: number][]): PartitionOffsets[] =>
  partitions.map(([low, committed], partition) => ({
    partition,
    low: BigInt(low),
    end: 100n,
    stable: 100n,
    committed: committed === undefined ? undefined : BigInt(committed),
    topicId: 'id',
  }));
const startOf = (...partitions: Parameters<typeof offsets>) =>
  startPositions('group', 'source', offsets(...partitions));

describe('startPositions', () => {
  it('at the first start, commits the start of the log in every partition, even after deletions', () =>
    expect(startOf([0], [40])).to.deep.equal({ 0: '0', 1: '40' }));

  it('commits nothing for a group that has read the topic, even if it has not read a new partition', () => {
    expect(startOf([10, 50], [100, 100])).to.equal(undefined);
    expect(startOf([10, 50], [0])).to.equal(undefined);
  });

  it('refuses a start that would skip deleted records of a partition that the group never read', () =>
    expect(() => startOf([0, 50], [7], [0], [9])).to.throw(
      'Kafka deleted records of source before group group read them (partition 1 begins at offset 7; ' +
        'partition 3 begins at offset 9)',
    ));
});
