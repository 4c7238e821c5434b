import type { Log } from '@vitrine/runtime/log';
import kafkajs, {
  type Admin,
  type Kafka,
  type LogEntry,
  type logLevel as LogLevel,
  type SASLOptions,
} from 'kafkajs';
import { type KafkaAdmin, toKafkaAdmin } from './admin.ts';
import type { KafkaConnection } from './connection.ts';
import { KafkaError, toKafkaError } from './errors.ts';
import { type KafkaProducer, type ProducerOptions, toKafkaProducer, toProducerConfig } from './producer.ts';

/** Creates connections to Kafka. `startConsumer` and `readRange` connect by themselves. */
export interface KafkaClient {
  admin(): KafkaAdmin;
  producer(options?: ProducerOptions): KafkaProducer;
}

/** Creates a Kafka client that writes its log lines to `log`. Nothing is connected yet. */
export function createKafka(connection: KafkaConnection, log: Log): KafkaClient {
  const kafka = createKafkaJs(connection, log);
  return {
    admin: () =>
      toKafkaAdmin(
        () => kafka.admin(),
        (admin) => connectAdmin(admin, connection),
      ),
    producer: (options = {}) => toKafkaProducer(kafka.producer(toProducerConfig(options))),
  };
}

/**
 * Creates a kafkajs client. `onError` receives each line that kafkajs logs as an error. If `onError` throws,
 * kafkajs abandons its next action.
 */
export function createKafkaJs(
  { brokers, sasl, tls, clientId = 'vitrine' }: KafkaConnection,
  log: Log,
  onError?: (entry: LogEntry) => void,
): Kafka {
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';
  return new kafkajs.Kafka({
    clientId,
    brokers: brokers.split(',').map((broker) => broker.trim()),
    ...(tls && { ssl: tls }),
    ...(sasl && { sasl: sasl as SASLOptions }),
    connectionTimeout: 5_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => (entry) => {
      if (entry.level === kafkajs.logLevel.ERROR) onError?.(entry);
      log[ofNewLeader(entry) ? 'debug' : toPino(entry.level)](
        { kafka: { namespace: entry.namespace, error: entry.log.error } },
        entry.log.message,
      );
    },
  });
}

/**
 * Connects and sends a first request, because a broker that requires TLS or SASL does not close the
 * connection earlier.
 * @throws KafkaError that contains the brokers' addresses and, if Kafka closed the connection, possible
 * causes. The error is retriable if no broker could be reached, and final if a broker refused the client
 */
async function connectAdmin(admin: Admin, { brokers, tls, sasl }: KafkaConnection): Promise<void> {
  try {
    await admin.connect();
    await admin.listTopics();
  } catch (error) {
    const cause = toKafkaError(error) as Error;
    const isWithout = [...(tls ? [] : ['TLS']), ...(sasl ? [] : ['SASL'])].join(' and ');
    const hint =
      /closed connection/i.test(cause.message) && isWithout
        ? ` (the client connected without ${isWithout})`
        : '';
    const code = cause instanceof KafkaError ? cause.code : undefined;
    throw new KafkaError(`Kafka does not respond at ${brokers}: ${cause.message}${hint}`, {
      cause: error,
      code,
      retriable: hint === '' && isUnreachable(error),
    });
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof kafkajs.KafkaJSNumberOfRetriesExceeded || error instanceof kafkajs.KafkaJSConnectionError;

/**
 * Whether the line reports that a broker does not know the new leader yet. This happens after a topic is
 * created, and briefly after the leader changes. kafkajs and `createTopic` repeat the request in this case.
 */
const ofNewLeader = ({ namespace, log: { message, error } }: LogEntry): boolean =>
  namespace === 'Connection' &&
  message.startsWith('Response ') &&
  /leader|does not host this topic-partition/.test(String(error));

/** The callers handle these errors and log the result, so kafkajs logs them at a lower level. */
const toPino = (level: LogLevel): 'warn' | 'debug' => (level === kafkajs.logLevel.ERROR ? 'warn' : 'debug');
