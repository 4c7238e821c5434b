import { expect } from 'chai';
import kafkajs, { type Cluster } from 'kafkajs';
import { assignToReaders } from './assign-to-readers.ts';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
const PARTITIONS = 4;

/** The partitions of `topic` that each member receives, if the members read these topics. */
async function partitionsOf(topic: string, readers: Record<string, string[]>) {
  const cluster = {
    findTopicPartitionMetadata: () =>
      Array.from({ length: PARTITIONS }, (_, partitionId) => ({ partitionId })),
  };
  const assigner = assignToReaders({
    cluster: cluster as unknown as Cluster,
    groupId: 'group',
    logger: {} as never,
  });
  const assignments = await assigner.assign({
    topics: [topic],
    members: Object.entries(readers).map(([memberId, topics]) => ({
      memberId,
      memberMetadata: MemberMetadata.encode({ version: 1, topics, userData: Buffer.alloc(0) }),
    })),
  });
  return Object.fromEntries(
    assignments.map(({ memberId, memberAssignment }) => [
      memberId,
      MemberAssignment.decode(memberAssignment)?.assignment[topic],
    ]),
  );
}

describe('the assignment of partitions', () => {
  it('shares the partitions among the members that read the topic', async () =>
    expect(await partitionsOf('events', { a: ['events'], b: ['events'] })).to.deep.equal({
      a: [0, 2],
      b: [1, 3],
    }));

  it('kafkajs#1679: gives a member that reads another topic no partition, but the name of the topic', async () =>
    expect(await partitionsOf('events', { a: ['other'], b: ['events'], c: ['other'] })).to.deep.equal({
      a: [],
      b: [0, 1, 2, 3],
      c: [],
    }));
});
