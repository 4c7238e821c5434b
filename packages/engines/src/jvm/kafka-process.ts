import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineFiles } from '../download/distributions.ts';
import { type PreparedEngine, SHORT_LIVED } from '../engine-process.ts';
import { type Launch, UTF8_PATHS } from '../launch.ts';
import { freePorts } from '../ports.ts';
import { kafkaProbe } from '../readiness.ts';
import { type EngineSecurity, kafkaSecurity, scramArguments } from '../security.ts';
import { giveTo, type UnixUser } from './unprivileged-user.ts';

/** One broker in a cluster. Each broker is also a controller. */
export interface KafkaBroker {
  readonly id: number;
  /**
   * The ports of all controllers, in the order of the brokers' ids. They are undefined for a single broker.
   */
  readonly controllers: readonly number[] | undefined;
  readonly clusterId: string;
}

export interface KafkaPlan {
  /** Returns the files that the next start uses. */
  readonly files: () => EngineFiles;
  readonly broker: KafkaBroker;
  readonly javaHome: string;
  /** The folder to create for this instance. */
  readonly folder: string;
  readonly user: UnixUser | undefined;
  readonly isShortLived: boolean;
  /** Settings that override the defaults of this package. */
  readonly settings: Readonly<Record<string, string>>;
  readonly security: EngineSecurity | undefined;
}

/**
 * This size is large enough for a record of 1 MiB with its headers, and for the oversized records in tests.
 */
const LARGEST_RECORD = String(8 * 1024 * 1024);

/**
 * The default settings for a JVM and for a container: one node as broker and controller, no automatic topic
 * creation.
 */
export const KAFKA_SETTINGS: Readonly<Record<string, string>> = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'auto.create.topics.enable': 'false',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '4',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
  'message.max.bytes': LARGEST_RECORD,
  'replica.fetch.max.bytes': LARGEST_RECORD,
};

/**
 * The settings that replace the defaults in a cluster: each record is on every broker, and one broker may be
 * down.
 */
export const SEVERAL_BROKERS: Readonly<Record<string, string>> = {
  'default.replication.factor': '3',
  'min.insync.replicas': '2',
  'offsets.topic.replication.factor': '3',
  'transaction.state.log.replication.factor': '3',
  'transaction.state.log.min.isr': '2',
  'share.coordinator.state.topic.replication.factor': '3',
  'share.coordinator.state.topic.min.isr': '2',
};

/** The logging configuration that writes warnings to the process's log. */
export const LOG4J = `status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
`;

/**
 * Returns the content of server.properties. Java reads this file as Latin-1, so all other characters are
 * escaped.
 */
export function kafkaProperties(settings: Readonly<Record<string, string>>): string {
  const escaped = (value: string): string =>
    value.replaceAll(/[\\]|[^\u0020-\u007e]/g, (unit) =>
      unit === '\\' ? '\\\\' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${escaped(value)}\n`)
    .join('');
}

/** Plans brokers that form one cluster on 127.0.0.1. A single broker can use any free ports. */
export function clusterBrokers(controllers: readonly number[]): KafkaBroker[] {
  const clusterId = randomBytes(16).toString('base64url');
  return controllers.map((_, index) => ({
    id: index + 1,
    controllers: controllers.length > 1 ? controllers : undefined,
    clusterId,
  }));
}

/** Writes the files for a broker that uses free ports on 127.0.0.1. */
export async function prepareKafka(plan: KafkaPlan): Promise<PreparedEngine> {
  const { javaHome, folder, user, security } = plan;
  const { id, clusterId, controllers } = plan.broker;
  const [port, free = 0, internal] = await freePorts(3);
  const voters = controllers ?? [free];
  const address = `127.0.0.1:${port}`;
  const log = join(folder, 'output.log');
  const properties = join(folder, 'server.properties');
  const log4j = join(folder, 'log4j2.properties');
  await mkdir(join(folder, 'temp'), { recursive: true });
  const keystore = join(folder, 'keystore.pem');
  await writeFile(log4j, LOG4J);
  if (security !== undefined) await writeFile(keystore, security.key + security.certificate);
  await writeFile(
    properties,
    kafkaProperties({
      ...KAFKA_SETTINGS,
      ...(voters.length > 1 && SEVERAL_BROKERS),
      ...listeners(
        security ? { SECURE: port, INTERNAL: internal } : { PLAINTEXT: port },
        controllers?.[id - 1] ?? free,
      ),
      'node.id': String(id),
      'controller.quorum.voters': voters.map((voter, index) => `${index + 1}@127.0.0.1:${voter}`).join(','),
      'log.dirs': join(folder, 'data'),
      ...(security && kafkaSecurity(security, keystore)),
      ...plan.settings,
    }),
  );
  if (user !== undefined) await giveTo(user, folder);
  const java = (flags: readonly string[], main: string, ...args: string[]): Launch => ({
    command: join(javaHome, 'bin', 'java'),
    args: [
      ...flags,
      `-Djava.io.tmpdir=${join(folder, 'temp')}`,
      `-Dlog4j2.configurationFile=${log4j}`,
      '-cp',
      join(plan.files().kafkaLibs, '*'),
      main,
      ...args,
    ],
    env: { HOME: folder, ...UTF8_PATHS },
    cwd: folder,
    log,
    user,
  });
  return {
    title: voters.length > 1 ? `Kafka (broker ${id})` : 'Kafka',
    address,
    folder,
    setup: java(
      ['-Xmx128m', ...SHORT_LIVED, '-XX:+UseSerialGC'],
      'kafka.tools.StorageTool',
      'format',
      // The option and the id form a single argument, because an id may begin with a hyphen.
      `--cluster-id=${clusterId}`,
      '--config',
      properties,
      ...(security ? scramArguments(security) : []),
    ),
    log,
    launch: () => java(['-Xmx512m', ...(plan.isShortLived ? SHORT_LIVED : [])], 'kafka.Kafka', properties),
    pidFile: undefined,
    // The probe uses the listener that requires no authentication. The other listener responds only after a
    // login.
    probe: kafkaProbe(security ? `127.0.0.1:${internal}` : address),
  };
}

function listeners(
  clients: Record<string, number | undefined>,
  controller: number | undefined,
): Record<string, string> {
  const advertised = Object.entries(clients)
    .map(([name, port]) => `${name}://127.0.0.1:${port}`)
    .join(',');
  return {
    listeners: `${advertised},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': advertised,
  };
}
