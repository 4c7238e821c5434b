import kafkajs, { type Producer } from 'kafkajs';
import { KafkaError, translated } from './errors.ts';
import { createPartitioner } from './format/partitioner.ts';
import { zstd } from './format/zstd.ts';

/** The headers of a new record. The value of a repeated header is an array. kafkajs cannot write null. */
export type MessageHeaders = Record<string, Buffer | string | (Buffer | string)[] | undefined>;

/** A record to write. The key determines the partition unless `partition` names one. */
export interface Message {
  key?: Buffer | string | null;
  value: Buffer | string | null;
  headers?: MessageHeaders;
  partition?: number;
  /** The time in epoch milliseconds, as a decimal string. Default: now. */
  timestamp?: string;
}

interface SendRequest {
  topic: string;
  messages: readonly Message[];
  /**
   * How each batch is compressed. gzip sees no repetition beyond 32 KiB, so its batch can be far larger than
   * another producer's zstd batch. Every client can read gzip. Default: no compression.
   */
  compression?: keyof typeof CODECS;
}

export interface ProducerOptions {
  /** Whether the producer avoids writing a record twice if a response is lost. */
  idempotent?: boolean;
  transactionalId?: string;
  /** The time in milliseconds after which Kafka aborts an open transaction. Default: 60,000. */
  transactionTimeout?: number;
  retries?: number;
  /** Whether the brokers should create a missing topic if their settings permit it. Default: false. */
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
  /** @returns the partitions to which the records were written */
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

// kafkajs has no codec of its own for zstd. Our consumers decompress batches without kafkajs.
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { buffer: Buffer }) => zstd(buffer),
});

const CODECS = { gzip: kafkajs.CompressionTypes.GZIP, zstd: kafkajs.CompressionTypes.ZSTD } as const;
const ALL_REPLICAS = -1;

const toRecord = ({ topic, messages, compression }: SendRequest) => ({
  topic,
  messages: [...messages].map(({ key = null, ...message }) => ({ key, ...message })),
  acks: ALL_REPLICAS,
  compression: compression ? CODECS[compression] : kafkajs.CompressionTypes.None,
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

/**
 * Sends messages together. If the topic refuses the request because of its size, sends each half separately,
 * because kafkajs puts all messages for one partition into one batch.
 * @param refused receives a message that the topic refuses even alone. By default, its error is thrown
 * @throws the other errors from `send`
 */
export async function sendInHalves<T>(
  all: readonly T[],
  send: (some: readonly T[]) => Promise<unknown>,
  refused: (one: T, error: KafkaError) => void = (_, error) => {
    throw error;
  },
): Promise<void> {
  try {
    if (all.length > 0) await send(all);
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    if (all.length === 1) return refused(all[0] as T, error);
    const half = Math.ceil(all.length / 2);
    await sendInHalves(all.slice(0, half), send, refused);
    await sendInHalves(all.slice(half), send, refused);
  }
}

/** The limits of `max.message.bytes` and of `segment.bytes`. */
const TOO_LARGE = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];

/** Whether the error means that the topic can never accept this request. No other Kafka error means this. */
export const isTooLarge = (error: unknown): error is KafkaError =>
  error instanceof KafkaError && TOO_LARGE.includes(error.code ?? '');
