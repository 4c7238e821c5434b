import kafkajs, { type Admin, type Kafka, type LogEntry, type logLevel as LogLevel, type SASLOptions } from 'kafkajs';
import { Type } from 'typebox';
import { missingPartner } from './credentials.ts';
import type { Log } from './log.ts';
import { certificates, secret } from './settings.ts';

/** Where Kafka is, who we are to it, and what the topics are called (decisions §4). */
export const kafkaSettings = {
  KAFKA_BROKERS: Type.String({ format: 'brokers', description: 'host:port, several with commas' }),
  KAFKA_TLS: Type.String({ default: 'false', pattern: '^(true|false)$' }),
  KAFKA_TLS_CA: certificates(),
  KAFKA_SASL_MECHANISM: Type.Optional(Type.String({ pattern: '^(plain|scram-sha-256|scram-sha-512|PLAIN|SCRAM-SHA-256|SCRAM-SHA-512)$' })),
  KAFKA_SASL_USERNAME: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SASL_PASSWORD: secret(),
  LISTING_EVENTS_TOPIC: Type.String({ default: 'marketplace.listing-events', pattern: '^[a-zA-Z0-9._-]{1,249}$' }),
  DEAD_LETTER_TOPIC: Type.Optional(Type.String({ pattern: '^[a-zA-Z0-9._-]{1,249}$', description: 'default: <events topic>.dead-letters' })),
};

/** The name of the dead-letter topic under these settings. */
export const deadLetterTopic = (settings: { LISTING_EVENTS_TOPIC: string; DEAD_LETTER_TOPIC?: string }): string =>
  settings.DEAD_LETTER_TOPIC ?? `${settings.LISTING_EVENTS_TOPIC}.dead-letters`;

/** What is wrong between the topics' names; for `readSettings`. */
export function checkTopics(settings: { LISTING_EVENTS_TOPIC?: string; DEAD_LETTER_TOPIC?: string }): string[] {
  const { LISTING_EVENTS_TOPIC = '', ...rest } = settings;
  const name = deadLetterTopic({ LISTING_EVENTS_TOPIC, ...rest });
  if (name === LISTING_EVENTS_TOPIC) return ['DEAD_LETTER_TOPIC is LISTING_EVENTS_TOPIC: dead letters would be read as events'];
  return name.length > 249 ? ['LISTING_EVENTS_TOPIC is too long for <events topic>.dead-letters: set DEAD_LETTER_TOPIC'] : [];
}

/** The settings of the connection, as `kafkaSettings` reads them. */
interface KafkaSettings {
  KAFKA_BROKERS: string;
  KAFKA_TLS?: string;
  KAFKA_TLS_CA?: string;
  KAFKA_SASL_MECHANISM?: string;
  KAFKA_SASL_USERNAME?: string;
  KAFKA_SASL_PASSWORD?: string;
}

/** Where Kafka is, who we are to it, and whose certificates we trust. */
export interface KafkaConnection {
  /** host:port, several with commas. */
  brokers: string;
  sasl?: SASLOptions;
  /** TLS; with the authorities of `ca` (PEM), or Node's own. */
  tls?: { ca?: string };
}

/** The connection under settings that `checkKafka` has nothing against. */
export function kafkaConnection(settings: KafkaSettings): KafkaConnection {
  const { KAFKA_TLS_CA: ca, KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = settings;
  return {
    brokers: settings.KAFKA_BROKERS,
    ...(settings.KAFKA_TLS === 'true' && { tls: ca === undefined ? {} : { ca } }),
    ...(mechanism !== undefined &&
      username !== undefined &&
      password !== undefined && { sasl: { mechanism: mechanism.toLowerCase(), username, password } as SASLOptions }),
  };
}

/** What is wrong between the settings of the connection; for `readSettings`. */
export function checkKafka(settings: Partial<KafkaSettings>): string[] {
  return [
    ...missingPartner(settings, 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME'),
    ...missingPartner(settings, 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_PASSWORD'),
    ...('KAFKA_TLS_CA' in settings && settings.KAFKA_TLS === 'false' ? ['KAFKA_TLS_CA needs KAFKA_TLS=true'] : []),
  ];
}

/**
 * The Kafka client as every part of the project uses it, its log lines led into ours. `onError` sees
 * each line kafkajs logs as an error and may throw, which ends what kafkajs was about to do.
 */
export function createKafka({ brokers, sasl, tls }: KafkaConnection, log: Log, onError?: (entry: LogEntry) => void): Kafka {
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';
  return new kafkajs.Kafka({
    clientId: 'vitrine',
    brokers: brokers.split(',').map((broker) => broker.trim()),
    ...(tls && { ssl: tls }),
    ...(sasl && { sasl }),
    connectionTimeout: 5_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => (entry) => {
      if (entry.level === kafkajs.logLevel.ERROR) onError?.(entry);
      log[toPino(entry.level)]({ kafka: { namespace: entry.namespace, error: entry.log.error } }, entry.log.message);
    },
  });
}

/**
 * Connects, and asks a first question: a broker that wants TLS or SASL hangs up only then.
 * @throws an Error with the brokers' addresses, and what may be wrong where Kafka just hangs up
 */
export async function connectAdmin(admin: Admin, { brokers, tls, sasl }: KafkaConnection): Promise<void> {
  try {
    await admin.connect();
    await admin.listTopics();
  } catch (cause) {
    const { message } = cause as Error;
    const isWithout = [...(tls ? [] : ['TLS']), ...(sasl ? [] : ['SASL'])].join(' and ');
    const hint = /closed connection/i.test(message) && isWithout ? ` (it was called without ${isWithout})` : '';
    throw new Error(`Kafka does not answer at ${brokers}: ${message}${hint}`, { cause });
  }
}

/** Its errors are met and answered by our own code, which logs what came of them. */
const toPino = (level: LogLevel): 'warn' | 'debug' => (level === kafkajs.logLevel.ERROR ? 'warn' : 'debug');
