import {
  checkKafka,
  checkTopics,
  createKafka,
  deadLetterTopic,
  type KafkaAdmin,
  type KafkaConnection,
  kafkaConnection,
  kafkaSettings,
  topicSettings,
} from '@vitrine/kafka';
import { type Rules, reasonsOf } from '@vitrine/listing';
import { versionBound } from '@vitrine/listing-events';
import { createMetrics, REQUEST_TIMEOUT_MS } from '@vitrine/projection';
import { DeadLetterSink, sendDeadLetters } from '@vitrine/projection/dead-letters';
import { readRegistry } from '@vitrine/projection/generations';
import { OBSERVE_EVERY_MS, STALL_LIMITS } from '@vitrine/projection/progress';
import { loadRules } from '@vitrine/projection/rules';
import {
  checkMaxVersion,
  checkProjectorSettings,
  type ProjectorSettings,
  projectorSettings,
} from '@vitrine/projection/settings';
import { createElasticsearch, elasticsearchConnection, failureReason } from '@vitrine/runtime/elasticsearch';
import { createLog, type Log } from '@vitrine/runtime/log';
import { readSettings, sharedSettings } from '@vitrine/runtime/settings';
import { Type } from 'typebox';
import type { CheckContext } from '../check/check.ts';
import type { CommandContext } from '../command-context.ts';
import type { RecordReading } from '../records/read-records.ts';
import type { TopicOperation } from '../topics/inspect-topics.ts';
import type { CliEnvironment } from './environment.ts';

/** The context of a command, and a function that closes the connections. */
export interface Connected<T> {
  context: T;
  close(): Promise<void>;
}

/**
 * Reads the settings and connects.
 * @throws SettingsError; an Error that names the unreachable engine and its address
 */
export type Open<T> = (environment: CliEnvironment) => Promise<Connected<T>>;

/** Connects to both engines with the projector's settings. */
export const openCommandContext: Open<CommandContext> = (environment) => openWithTimeout(environment);

/** @param requestTimeout milliseconds until a request to Elasticsearch fails */
export const openWithTimeout = async (
  { env, rules, signal }: CliEnvironment,
  requestTimeout?: number,
): Promise<Connected<CommandContext>> => {
  const settings = readSettings(projectorSettings, { LOG_LEVEL: 'warn', ...env }, checkProjectorSettings);
  return connect(
    settings,
    rules ?? (await loadRules(settings, env)),
    createLog('cli', settings.LOG_LEVEL, 2),
    signal,
    requestTimeout,
  );
};

const settingsOfTopics = Type.Object({
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  ...kafkaSettings,
  ...topicSettings,
});

/** Connects only to Kafka, because operators create the topics before they start anything else. */
export const openTopics: Open<TopicOperation> = async ({ env, signal }) => {
  const settings = readSettings(settingsOfTopics, { LOG_LEVEL: 'warn', ...env }, (read) => [
    ...checkTopics(read),
    ...checkKafka(read),
  ]);
  const { admin, close } = await connectAdmin(
    kafkaConnection(settings),
    createLog('cli', settings.LOG_LEVEL, 2),
  );
  return { context: { settings, admin, signal }, close };
};

const { MAX_VERSION, RULES_MODULE } = projectorSettings.properties;
const settingsOfCheck = Type.Object({ MAX_VERSION, RULES_MODULE });
const settingsOfReading = Type.Object({
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  ...kafkaSettings,
  CONSUMER_GROUP: projectorSettings.properties.CONSUMER_GROUP,
});

/** Connects to nothing yet, because a check of a file needs no engine. @throws SettingsError */
export const openCheck: Open<CheckContext> = async ({ env, rules, stdin, signal }) => {
  const settings = readSettings(settingsOfCheck, env, checkMaxVersion);
  const context = {
    rules: rules ?? (await loadRules(settings, env)),
    stdin,
    signal,
    versionBound: versionBound(settings.MAX_VERSION),
  };
  return {
    context: { ...context, connect: () => connectReading(env, signal) },
    close: async () => undefined,
  };
};

/** Connects to Kafka to read a topic. @throws SettingsError; KafkaError */
async function connectReading(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Connected<RecordReading>> {
  const settings = readSettings(settingsOfReading, { LOG_LEVEL: 'warn', ...env }, checkKafka);
  const log = createLog('cli', settings.LOG_LEVEL, 2);
  const { admin, close } = await connectAdmin(kafkaConnection(settings), log);
  return { context: { settings, admin, log, signal }, close };
}

async function connectAdmin(
  connection: KafkaConnection,
  log: Log,
): Promise<{ admin: KafkaAdmin; close(): Promise<void> }> {
  const connecting = connectingLog(log);
  const admin = createKafka(connection, connecting.child).admin();
  await admin.connect().catch(async (error: unknown) => {
    await admin.disconnect();
    throw error;
  });
  connecting.connected();
  return { admin, close: () => admin.disconnect() };
}

/**
 * Creates a log for kafkajs that is silent until the client is connected, unless LOG_LEVEL includes `info`.
 * The error that ends the command contains the same information as the lines about failed attempts.
 */
function connectingLog(log: Log): { child: Log; connected(): void } {
  const child = log.child({}, { level: log.isLevelEnabled('info') ? log.level : 'silent' });
  return {
    child,
    connected: () => {
      child.level = log.level;
    },
  };
}

/** Connects to both engines. @throws an Error that names the unreachable engine and its address */
export async function connect(
  settings: ProjectorSettings,
  rules: Rules,
  log: Log,
  signal: AbortSignal,
  requestTimeout = REQUEST_TIMEOUT_MS,
): Promise<Connected<CommandContext>> {
  const elasticsearch = elasticsearchConnection(settings);
  const client = createElasticsearch({ ...elasticsearch, requestTimeout, maxRetries: 0 });
  const connecting = connectingLog(log);
  const kafka = createKafka(kafkaConnection(settings), connecting.child);
  const admin = kafka.admin();
  const producer = kafka.producer();
  const close = async () => {
    await Promise.allSettled([producer.disconnect(), admin.disconnect(), client.close()]);
  };
  try {
    await readRegistry(client, settings.INDEX_PREFIX, signal).catch((error: Error) => {
      throw new Error(`Elasticsearch does not respond at ${elasticsearch.url}: ${failureReason(error)}`, {
        cause: error,
      });
    });
    await admin.connect();
    await producer.connect();
    connecting.connected();
  } catch (error) {
    await close();
    throw error;
  }
  const deadLetters = new DeadLetterSink((batch) =>
    sendDeadLetters(producer, deadLetterTopic(settings), batch),
  );
  const context = {
    settings,
    rules,
    log,
    client,
    admin,
    deadLetters,
    metrics: createMetrics(reasonsOf(rules)),
  };
  return {
    context: {
      ...context,
      producer,
      signal,
      stallLimits: STALL_LIMITS,
      observeEvery: OBSERVE_EVERY_MS,
    },
    close,
  };
}
