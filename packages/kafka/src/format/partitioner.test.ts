import { expect } from 'chai';
import kafkajs, { type PartitionerArgs } from 'kafkajs';
import { createPartitioner } from './partitioner.ts';

const PARTITIONS = 7_919;
const partitionMetadata = Array.from({ length: PARTITIONS }, (_, partitionId) => ({
  partitionErrorCode: 0,
  partitionId,
  leader: 0,
  replicas: [0],
  isr: [0],
}));
const given = (message: Partial<PartitionerArgs['message']>): PartitionerArgs => ({
  topic: 't',
  partitionMetadata,
  message: { value: null, ...message },
});

describe('the partition of a record', () => {
  const own = createPartitioner();

  it('is the one that kafkajs and the clients in Java choose', () => {
    const theirs = kafkajs.Partitioners.DefaultPartitioner();
    for (let length = 0; length < 300; length++) {
      const key = Buffer.from(Array.from({ length }, (_, at) => (at * 131 + length * 29) % 256));
      expect(own(given({ key })), String(length)).to.equal(theirs(given({ key })));
    }
    expect(own(given({ key: 'São Paulo' }))).to.equal(theirs(given({ key: 'São Paulo' })));
    // The expected hash of "21" comes from a test of Kafka's own clients.
    expect(own(given({ key: '21' }))).to.equal((-973932308 & 0x7fffffff) % PARTITIONS);
  });

  it('is the given one, and that of a record without a key changes', () => {
    expect(own(given({ key: 'a', partition: 5 }))).to.equal(5);
    expect(own(given({ key: null }))).not.to.equal(own(given({ key: null })));
  });

  it('takes less than 3 s of CPU time for a key of 4 MB', () => {
    const key = Buffer.alloc(4_000_000, 'k');
    const start = process.cpuUsage();
    own(given({ key }));
    const { user, system } = process.cpuUsage(start);
    expect(user + system).to.be.below(3_000_000);
  });
});
