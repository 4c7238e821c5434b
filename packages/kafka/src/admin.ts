import kafkajs, { type Admin } from 'kafkajs';
import { askCoordinator } from './ask-coordinator.ts';
import { translated } from './errors.ts';
import { TopicAdmins } from './topic-admins.ts';

export interface TopicSpec {
  topic: string;
  numPartitions?: number;
  /** The value -1 means the brokers' default. */
  replicationFactor?: number;
  configEntries?: { name: string; value: string }[];
}

interface PartitionMetadata {
  partitionId: number;
  /** The id of the broker that leads the partition, or -1 if no broker does. */
  leader: number;
  /** The ids of the brokers that have a replica, and of the brokers whose replica is in sync. */
  replicas: number[];
  isr: number[];
}

/** An offset as a decimal string, as in Kafka's own tools. */
export interface PartitionOffset {
  partition: number;
  offset: string;
}

/** A committed offset with the string that the committing process added. */
interface Commit extends PartitionOffset {
  metadata?: string | null;
}

interface GroupMember {
  clientId: string;
  host: string;
  /** The partitions of each topic. The object is empty while the group rebalances. */
  partitions: Record<string, number[]>;
}

export interface GroupDescription {
  /** Kafka's name for the state, such as `Stable` or `Empty`. It is `Dead` if the group does not exist. */
  state: string;
  members: GroupMember[];
}

/**
 * Sends administrative requests to Kafka. Several requests may run at the same time. Every method throws
 * `KafkaError` if Kafka refuses the request or does not respond. Offsets are decimal strings, and ranges have
 * the form [low, high).
 */
export interface KafkaAdmin {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  describeCluster(): Promise<{ brokers: { nodeId: number }[]; controller: number | null }>;

  listTopics(): Promise<string[]>;
  /**
   * @returns false if a topic already exists
   */
  createTopics(request: {
    topics: TopicSpec[];
    validateOnly?: boolean;
    waitForLeaders?: boolean;
  }): Promise<boolean>;
  deleteTopics(request: { topics: string[] }): Promise<void>;
  addPartitions(topic: string, count: number): Promise<void>;
  /** Deletes the records before these offsets. */
  deleteTopicRecords(request: { topic: string; partitions: PartitionOffset[] }): Promise<void>;
  fetchTopicMetadata(request?: {
    topics: string[];
  }): Promise<{ topics: { name: string; partitions: PartitionMetadata[] }[] }>;
  /** Returns the effective settings. Settings that the brokers do not support are absent. */
  topicSettings(topic: string, names: readonly string[]): Promise<Record<string, string>>;
  brokerSettings(nodeIds: readonly number[], names: readonly string[]): Promise<Record<string, string>[]>;
  /** Replaces all settings of the topic with these. */
  setTopicSettings(topic: string, settings: Record<string, string>): Promise<void>;

  fetchTopicOffsets(topic: string): Promise<{ partition: number; low: string; high: string }[]>;
  /**
   * Returns the first offsets whose records are not older than `timestamp`. @param timestamp in epoch
   * milliseconds
   */
  fetchTopicOffsetsByTimestamp(topic: string, timestamp: number): Promise<PartitionOffset[]>;

  /** Returns the committed offsets, and -1 for a partition without a commit. */
  fetchOffsets(request: {
    groupId: string;
    topics: string[];
  }): Promise<{ topic: string; partitions: Commit[] }[]>;
  /** Commits offsets for a group without members. The call takes five seconds. */
  setOffsets(request: { groupId: string; topic: string; partitions: PartitionOffset[] }): Promise<void>;
  listGroups(): Promise<string[]>;
  describeGroup(groupId: string): Promise<GroupDescription>;
  /** Deletes the group if it exists. @throws KafkaError with the code NON_EMPTY_GROUP */
  deleteGroup(groupId: string): Promise<void>;
  allow(rules: readonly AccessRule[]): Promise<void>;
}

/** The operations that a user may perform on a resource, in the terms that Kafka's own tools use. */
export interface AccessRule {
  principal: string;
  resource: { type: 'topic' | 'group'; name: string; pattern: 'literal' | 'prefixed' };
  operations: string[];
}

/**
 * Wraps the admin clients from kafkajs.
 * @param open creates a client without connecting it
 * @param connect connects the first client, and explains a failure
 */
export function toKafkaAdmin(open: () => Admin, connect: (admin: Admin) => Promise<void>): KafkaAdmin {
  const admin = open();
  const topics = new TopicAdmins(open);
  return translated<KafkaAdmin>({
    connect: () => connect(admin),
    disconnect: async () => {
      await Promise.all([admin.disconnect(), topics.disconnect()]);
    },
    describeCluster: admin.describeCluster,
    listTopics: admin.listTopics,
    createTopics: admin.createTopics,
    deleteTopics: admin.deleteTopics,
    addPartitions: async (topic, count) => {
      await admin.createPartitions({ topicPartitions: [{ topic, count }] });
    },
    deleteTopicRecords: (request) => topics.ask([request.topic], (own) => own.deleteTopicRecords(request)),
    fetchTopicMetadata: async (request) =>
      request
        ? topics.ask(request.topics, (own) => own.fetchTopicMetadata(request))
        : admin.fetchTopicMetadata(),
    topicSettings: async (topic, names) => {
      const [settings] = await describe(admin, kafkajs.ConfigResourceTypes.TOPIC, [topic], names);
      return settings ?? {};
    },
    brokerSettings: (nodeIds, names) =>
      describe(admin, kafkajs.ConfigResourceTypes.BROKER, nodeIds.map(String), names),
    setTopicSettings: async (topic, settings) => {
      const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
      await admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries }],
      });
    },
    fetchTopicOffsets: (topic) => topics.ask([topic], (own) => own.fetchTopicOffsets(topic)),
    fetchTopicOffsetsByTimestamp: (topic, timestamp) =>
      topics.ask([topic], (own) => own.fetchTopicOffsetsByTimestamp(topic, timestamp)),
    fetchOffsets: (request) =>
      topics.ask(request.topics, (own) => askCoordinator(() => own.fetchOffsets(request))),
    setOffsets: (request) =>
      topics.ask([request.topic], (own) => askCoordinator(() => own.setOffsets(request))),
    listGroups: async () =>
      (await askCoordinator(() => admin.listGroups())).groups.map(({ groupId }) => groupId),
    describeGroup: (groupId) => askCoordinator(() => describeGroup(admin, groupId)),
    deleteGroup: (groupId) => askCoordinator(() => deleteGroup(admin, groupId)),
    allow: async (rules) => {
      await admin.createAcls({ acl: rules.flatMap(toEntries) });
    },
  });
}

async function describe(
  admin: Admin,
  type: kafkajs.ConfigResourceTypes,
  resources: readonly string[],
  configNames: readonly string[],
): Promise<Record<string, string>[]> {
  const response = await admin.describeConfigs({
    includeSynonyms: false,
    resources: resources.map((name) => ({ type, name, configNames: [...configNames] })),
  });
  return response.resources.map(({ configEntries }) =>
    Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
  );
}

async function describeGroup(admin: Admin, groupId: string): Promise<GroupDescription> {
  const { groups } = await admin.describeGroups([groupId]);
  const members = (groups[0]?.members ?? []).map(({ clientId, clientHost, memberAssignment }) => {
    // While the group rebalances, a member has no assignment.
    const assigned =
      memberAssignment.length > 0 ? kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment) : null;
    return { clientId, host: clientHost.replace(/^\//, ''), partitions: assigned?.assignment ?? {} };
  });
  return { state: groups[0]?.state ?? 'Dead', members };
}

const GROUP_ID_NOT_FOUND = 69;

async function deleteGroup(admin: Admin, groupId: string): Promise<void> {
  try {
    await admin.deleteGroups([groupId]);
  } catch (error) {
    const groups = error instanceof kafkajs.KafkaJSDeleteGroupsError ? error.groups : [];
    if (groups.length === 0 || groups.some(({ errorCode }) => errorCode !== GROUP_ID_NOT_FOUND)) throw error;
  }
}

/** Converts a rule to the numbers that kafkajs uses. */
function toEntries({ principal, resource, operations }: AccessRule): kafkajs.AclEntry[] {
  const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
  const constant = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return operations.map((operation) => ({
    principal,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    operation: AclOperationTypes[constant(operation) as keyof typeof AclOperationTypes],
    resourceType: AclResourceTypes[constant(resource.type) as keyof typeof AclResourceTypes],
    resourceName: resource.name,
    resourcePatternType:
      ResourcePatternTypes[constant(resource.pattern) as keyof typeof ResourcePatternTypes],
  }));
}
