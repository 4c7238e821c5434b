import { ByteReader } from './byte-reader.ts';

/** The first version without null topic names is 12. Every broker since Kafka 2.8 supports it. */
export const METADATA_VERSION = 12;

interface TopicMetadata {
  /**
   * The code is 0 if the topic exists and is usable, and 3 (UNKNOWN_TOPIC_OR_PARTITION) if it does not exist.
   */
  errorCode: number;
  name: string;
  /** The topic's id in Kafka's own notation, which is base64url without padding. */
  topicId: string;
  partitions: PartitionMetadata[];
}

interface PartitionMetadata {
  errorCode: number;
  partition: number;
  leader: number;
  replicas: number[];
  isr: number[];
  offlineReplicas: number[];
}

export interface Metadata {
  throttleTime: number;
  brokers: { nodeId: number; host: string; port: number; rack: string | null }[];
  clusterId: string | null;
  controllerId: number;
  topics: TopicMetadata[];
}

const NO_TOPIC_ID = Buffer.alloc(16);
const NO_TAGS = Buffer.from([0]);
const FALSE = NO_TAGS;

/**
 * Encodes a metadata request that names topics but does not create any. Pure.
 *
 * Kafka's types: COMPACT_ARRAY and COMPACT_STRING begin with an unsigned varint of their length plus one (0
 * is null). TAGS is an unsigned varint of the number of tagged fields, each with a tag, a size and its bytes.
 *
 *     request header v2 (its last member) => TAGS
 *     Metadata Request (Version: 12) => [topics] allow_auto_topic_creation include_authorized TAGS
 *       topics => COMPACT_ARRAY
 *         topic_id => UUID
 *         name => COMPACT_NULLABLE_STRING
 *         TAGS
 *       allow_auto_topic_creation => BOOLEAN
 *       include_authorized => BOOLEAN
 */
export function encodeMetadataRequest(topics: readonly string[]): Buffer {
  return Buffer.concat([
    NO_TAGS,
    unsignedVarint(topics.length + 1),
    ...topics.flatMap((name) => {
      const bytes = Buffer.from(name);
      return [NO_TOPIC_ID, unsignedVarint(bytes.length + 1), bytes, NO_TAGS];
    }),
    FALSE,
    FALSE,
    NO_TAGS,
  ]);
}

/**
 * Decodes a metadata response. Pure.
 *
 *     response header v1 (its last member) => TAGS
 *     Metadata Response (Version: 12) => throttle_ms [brokers] cluster_id controller_id [topics] TAGS
 *       throttle_ms => INT32
 *       brokers => COMPACT_ARRAY
 *         node_id => INT32
 *         host => COMPACT_STRING
 *         port => INT32
 *         rack => COMPACT_NULLABLE_STRING
 *         TAGS
 *       cluster_id => COMPACT_NULLABLE_STRING
 *       controller_id => INT32
 *       topics => COMPACT_ARRAY
 *         error_code => INT16
 *         name => COMPACT_NULLABLE_STRING
 *         topic_id => UUID
 *         is_internal => BOOLEAN
 *         partitions => COMPACT_ARRAY
 *           error_code => INT16
 *           partition => INT32
 *           leader => INT32
 *           leader_epoch => INT32
 *           replicas, isr, offline_replicas => COMPACT_ARRAY of INT32
 *           TAGS
 *         authorized_operations => INT32
 *         TAGS
 *
 * @throws RangeError if the response is incomplete
 */
export function decodeMetadataResponse(response: Buffer): Metadata {
  const reader = new ByteReader(response);
  reader.tags();
  const throttleTime = reader.int32();
  const brokers = reader.compactArray(() => {
    const broker = {
      nodeId: reader.int32(),
      host: reader.compactString() ?? '',
      port: reader.int32(),
      rack: reader.compactString(),
    };
    reader.tags();
    return broker;
  });
  const clusterId = reader.compactString();
  const controllerId = reader.int32();
  return { throttleTime, brokers, clusterId, controllerId, topics: reader.compactArray(() => topic(reader)) };
}

function topic(reader: ByteReader): TopicMetadata {
  const errorCode = reader.int16();
  const name = reader.compactString() ?? '';
  const topicId = (reader.bytes(NO_TOPIC_ID.length) as Buffer).toString('base64url');
  reader.int8(); // is_internal
  const partitions = reader.compactArray(() => partition(reader));
  reader.int32(); // authorized_operations
  reader.tags();
  return { errorCode, name, topicId, partitions };
}

function partition(reader: ByteReader): PartitionMetadata {
  const numbers = () => reader.compactArray(() => reader.int32());
  const errorCode = reader.int16();
  const partition = reader.int32();
  const leader = reader.int32();
  reader.int32(); // leader_epoch
  const decoded = {
    errorCode,
    partition,
    leader,
    replicas: numbers(),
    isr: numbers(),
    offlineReplicas: numbers(),
  };
  reader.tags();
  return decoded;
}

function unsignedVarint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  bytes.push(left);
  return Buffer.from(bytes);
}
