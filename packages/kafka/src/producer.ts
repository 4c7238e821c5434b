import kafkajs, { type Producer } from 'kafkajs';
import { translated } from './errors.ts';
import { createPartitioner } from './format/partitioner.ts';

/** The headers of a new record. A repeated header is an array of its values. kafkajs cannot write null. */
export type MessageHeaders = Record<string, Buffer | string | (Buffer | string)[] | undefined>;

/** A record to write. The key decides the partition unless `partition` names it. */
export interface Message {
  key?: Buffer | string | null;
  value: Buffer | string | null;
  headers?: MessageHeaders;
  partition?: number;
  /** Epoch milliseconds as decimal text. Default: now. */
  timestamp?: string;
}

interface SendRequest {
  topic: string;
  messages: readonly Message[];
  /** Compresses each batch. Default: not compressed. */
  gzip?: boolean;
}

export interface ProducerOptions {
  /** Writes no record twice if a response is lost. */
  idempotent?: boolean;
  transactionalId?: string;
  /** Milliseconds after which Kafka aborts an open transaction. Default: 60,000. */
  transactionTimeout?: number;
  retries?: number;
  /** Asks the brokers to create a missing topic, as their settings permit. Default: false. */
  allowAutoTopicCreation?: boolean;
}

/** An open transaction. Its records become visible at `commit`. */
export interface KafkaTransaction {
  send(request: SendRequest): Promise<number[]>;
  commit(): Promise<void>;
  abort(): Promise<void>;
}

/** Writes records, and waits until all in-sync replicas have them. Every method throws `KafkaError`. */
export interface KafkaProducer {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** @returns the partitions that the records were written to */
  send(request: SendRequest): Promise<number[]>;
  transaction(): Promise<KafkaTransaction>;
}

export const toProducerConfig = ({
  idempotent,
  transactionalId,
  transactionTimeout,
  retries,
  allowAutoTopicCreation = false,
}: ProducerOptions) => ({
  allowAutoTopicCreation,
  createPartitioner,
  ...(idempotent && { idempotent, maxInFlightRequests: 1 }),
  ...(transactionalId !== undefined && { transactionalId }),
  ...(transactionTimeout !== undefined && { transactionTimeout }),
  ...(retries !== undefined && { retry: { retries } }),
});

const ALL_REPLICAS = -1;

const toRecord = ({ topic, messages, gzip }: SendRequest) => ({
  topic,
  messages: [...messages].map(({ key = null, ...message }) => ({ key, ...message })),
  acks: ALL_REPLICAS,
  compression: gzip ? kafkajs.CompressionTypes.GZIP : kafkajs.CompressionTypes.None,
});

const partitionsOf = (written: readonly { partition: number }[]): number[] =>
  written.map(({ partition }) => partition);

export const toKafkaProducer = (producer: Producer): KafkaProducer =>
  translated<KafkaProducer>({
    connect: producer.connect,
    disconnect: producer.disconnect,
    send: async (request) => partitionsOf(await producer.send(toRecord(request))),
    transaction: async () => {
      const transaction = await producer.transaction();
      return translated<KafkaTransaction>({
        send: async (request) => partitionsOf(await transaction.send(toRecord(request))),
        commit: transaction.commit,
        abort: transaction.abort,
      });
    },
  });
