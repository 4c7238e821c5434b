import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type { KafkaAdmin } from './admin.ts';
import { MissingTopicError } from './errors.ts';
import {
  decodeMetadataResponse,
  encodeMetadataRequest,
  METADATA_VERSION,
  type Metadata,
} from './format/metadata.ts';

/**
 * An offset is valid only together with the id of its topic (docs/decisions/0082). Kafka gives each topic an
 * id that no other topic ever gets, so a topic that was deleted and created again has a new id. kafkajs sends
 * metadata requests up to version 6, and only versions from 10 on contain ids. Inside `readTopicId`, this
 * file replaces the metadata request from kafkajs, so that its connections, credentials and retries apply.
 */
interface RequestPair {
  request: { apiKey: number; apiVersion: number; apiName: string; encode(): Promise<object> };
  response: { decode(response: Buffer): Promise<object>; parse(decoded: object): Promise<object> };
  logResponseError: boolean;
}

interface MetadataRequests {
  protocol(at: { version: number }): (arguments_: { topics: string[] }) => RequestPair;
}

type Encoder = new () => { writeBuffer(bytes: Buffer): object };

const UNKNOWN_TOPIC = 3;
const load = createRequire(import.meta.url);
const requests = load('kafkajs/src/protocol/requests/metadata/index.js') as MetadataRequests;
const { parse } = load('kafkajs/src/protocol/requests/metadata/v6/response.js') as RequestPair['response'];
const Encoder = load('kafkajs/src/protocol/encoder.js') as Encoder;

const asking = new AsyncLocalStorage<{ answer?: Metadata }>();
const older = requests.protocol;
requests.protocol = (at) => {
  const question = asking.getStore();
  return question ? ({ topics }) => requestOfIds(topics, question) : older(at);
};

const requestOfIds = (topics: string[], question: { answer?: Metadata }): RequestPair => ({
  request: {
    apiKey: 3,
    apiVersion: METADATA_VERSION,
    apiName: 'Metadata',
    encode: async () => new Encoder().writeBuffer(encodeMetadataRequest(topics)),
  },
  response: {
    decode: async (response) => {
      const answer = decodeMetadataResponse(response);
      question.answer = answer;
      return asKafkajs(answer);
    },
    parse,
  },
  logResponseError: false,
});

/** The response in the form that kafkajs expects, because it may store the response as its own metadata. */
const asKafkajs = ({ throttleTime, brokers, clusterId, controllerId, topics }: Metadata): object => ({
  throttleTime: 0,
  clientSideThrottleTime: throttleTime,
  brokers,
  clusterId,
  controllerId,
  topicMetadata: topics.map(({ errorCode, name, partitions }) => ({
    topicErrorCode: errorCode,
    topic: name,
    isInternal: false,
    partitionMetadata: partitions.map(({ errorCode, partition, ...rest }) => ({
      partitionErrorCode: errorCode,
      partitionId: partition,
      ...rest,
    })),
  })),
});

/**
 * Reads the id of a topic with one request.
 * @returns the id in Kafka's own notation, which `kafka-topics.sh --describe` also prints
 * @throws MissingTopicError if no broker knows the topic; KafkaError
 */
export async function readTopicId(admin: KafkaAdmin, topic: string): Promise<string> {
  const question: { answer?: Metadata } = {};
  const failure = await asking
    .run(question, () => admin.fetchTopicMetadata({ topics: [topic] }))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  const found = question.answer?.topics.find(({ name }) => name === topic);
  if (found?.errorCode === UNKNOWN_TOPIC) throw new MissingTopicError(topic);
  // A partition may have no leader for a moment. The response contains the topic's id nevertheless.
  if (!found || (found.errorCode !== 0 && failure)) throw failure ?? new Error('Kafka sent no metadata');
  return found.topicId;
}

const IN_COMMIT = /^topic-id=([\w-]{22})$/;

/** Returns the metadata with which a commit links the offset to its topic. */
export const commitMetadata = (topicId: string): string => `topic-id=${topicId}`;

/**
 * The id of the topic to which a committed offset belongs. It is undefined for a commit from release 1.1.0 or
 * from Kafka's own tools. Such a commit counts as one for the current topic.
 */
export const topicIdOfCommit = (metadata: string | null | undefined): string | undefined =>
  IN_COMMIT.exec(metadata ?? '')?.[1];
