import type { Log } from '@vitrine/runtime/log';
import kafkajs, { type Admin, type Kafka, type LogEntry, type logLevel as LogLevel } from 'kafkajs';
import type { KafkaConnection } from './connection.ts';

/**
 * Creates a Kafka client that writes its log lines to `log`. `onError` receives each line that kafkajs logs
 * as an error. If `onError` throws, kafkajs abandons its next action.
 */
export function createKafka(
  { brokers, sasl, tls, clientId = 'vitrine' }: KafkaConnection,
  log: Log,
  onError?: (entry: LogEntry) => void,
): Kafka {
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';
  return new kafkajs.Kafka({
    clientId,
    brokers: brokers.split(',').map((broker) => broker.trim()),
    ...(tls && { ssl: tls }),
    ...(sasl && { sasl }),
    connectionTimeout: 5_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => (entry) => {
      if (entry.level === kafkajs.logLevel.ERROR) onError?.(entry);
      log[toPino(entry.level)](
        { kafka: { namespace: entry.namespace, error: entry.log.error } },
        entry.log.message,
      );
    },
  });
}

/**
 * Connects and sends a first request, because a broker that requires TLS or SASL does not close the
 * connection earlier.
 * @throws an Error that contains the brokers' addresses and, if Kafka closed the connection, possible causes
 */
export async function connectAdmin(admin: Admin, { brokers, tls, sasl }: KafkaConnection): Promise<void> {
  try {
    await admin.connect();
    await admin.listTopics();
  } catch (cause) {
    const { message } = cause as Error;
    const isWithout = [...(tls ? [] : ['TLS']), ...(sasl ? [] : ['SASL'])].join(' and ');
    const hint =
      /closed connection/i.test(message) && isWithout ? ` (the client connected without ${isWithout})` : '';
    throw new Error(`Kafka does not respond at ${brokers}: ${message}${hint}`, { cause });
  }
}

/** The callers handle these errors and log the result, so kafkajs logs them at a lower level. */
const toPino = (level: LogLevel): 'warn' | 'debug' => (level === kafkajs.logLevel.ERROR ? 'warn' : 'debug');
