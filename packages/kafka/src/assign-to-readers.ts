import kafkajs, { type GroupMember, type PartitionAssigner } from 'kafkajs';

const { roundRobin } = kafkajs.PartitionAssigners;
const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/**
 * Assigns a topic's partitions only to those members of the group that read the topic. kafkajs' own assigner
 * also assigns partitions to members that read another topic, so no member reads these partitions
 * (kafkajs#1679). Every other member receives the topic's name without partitions. This tells the member that
 * the group belongs to another topic.
 */
export const assignToReaders: PartitionAssigner = (config) => {
  const assigner = roundRobin(config);
  return {
    ...assigner,
    assign: async ({ members, topics }) => {
      const isReader = ({ memberMetadata }: GroupMember) => {
        const read = MemberMetadata.decode(memberMetadata)?.topics ?? [];
        return topics.every((topic) => read.includes(topic));
      };
      const assignment = Object.fromEntries(topics.map((topic) => [topic, []]));
      const { version } = assigner;
      const nothing = MemberAssignment.encode({ version, assignment, userData: Buffer.alloc(0) });
      return [
        ...(await assigner.assign({ members: members.filter(isReader), topics })),
        ...members
          .filter((member) => !isReader(member))
          .map(({ memberId }) => ({ memberId, memberAssignment: nothing })),
      ];
    },
  };
};
