import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONNECT, type JarFiles } from '../download/distributions.ts';
import type { PreparedEngine } from '../engine-process.ts';
import { kafkaProperties, LOG4J } from '../jvm/kafka-process.ts';
import { giveTo } from '../jvm/unprivileged-user.ts';
import { UTF8_PATHS } from '../launch.ts';
import { freePorts } from '../ports.ts';
import { httpProbe } from '../readiness.ts';
import { type ConnectorOptions, putConnector } from './connector.ts';
import { type JavaPlan, type SourceOptions, type SourceServer, startJavaSource } from './source-server.ts';

export interface ConnectOptions extends SourceOptions {
  /** The brokers on which the worker keeps its state, as host:port, separated by commas. */
  readonly brokers: string;
  /** Worker settings that override the defaults of this package. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface ConnectServer extends SourceServer {
  /** The address of the REST interface. */
  readonly url: string;
  /**
   * Creates or changes a connector, and resolves when it and its task are running.
   * @throws EnginesError with the reason that Connect gives, or with the trace of the failed task
   */
  putConnector(
    name: string,
    config: Readonly<Record<string, string>>,
    options?: ConnectorOptions,
  ): Promise<void>;
}

/**
 * Starts a distributed Kafka Connect worker with Debezium's connector for PostgreSQL, in a group of its own.
 * The worker keeps its state in three topics on the brokers. Values are JSON without schemas unless a
 * connector or `settings` choose another converter.
 * @throws EnginesError that names the missing software, or contains the end of the worker's log
 */
export async function startConnect({
  brokers,
  settings = {},
  ...options
}: ConnectOptions): Promise<ConnectServer> {
  const group = `vitrine-connect-${randomBytes(4).toString('hex')}`;
  const { address, server } = await startJavaSource(
    'Kafka Connect',
    CONNECT,
    (plan) => prepareConnect(plan, { ...connectSettings(brokers, group), ...settings }),
    '384m',
    options,
  );
  return {
    ...server,
    url: address,
    putConnector: (name, config, given) =>
      putConnector(address, name, config, { signal: options.signal, ...given }),
  };
}

/** Returns the settings for a worker that is the only member of its group. */
export function connectSettings(brokers: string, group: string): Record<string, string> {
  const topics = ['config', 'offset', 'status'].flatMap((kind) => [
    [`${kind}.storage.topic`, `${group}-${kind}`],
    [`${kind}.storage.replication.factor`, '1'],
  ]);
  return {
    'bootstrap.servers': brokers,
    'group.id': group,
    ...Object.fromEntries(topics),
    'offset.storage.partitions': '1',
    'status.storage.partitions': '1',
    'offset.flush.interval.ms': '1000',
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'key.converter.schemas.enable': 'false',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
    // A killed worker remains a member of the group until its session times out, and a new worker waits until
    // then. This is the shortest timeout that a broker accepts by default.
    'session.timeout.ms': '6000',
    'heartbeat.interval.ms': '2000',
    'scheduled.rebalance.max.delay.ms': '0',
    'plugin.discovery': 'service_load',
  };
}

async function prepareConnect(
  { files, javaHome, folder, user, flags }: JavaPlan<JarFiles>,
  settings: Readonly<Record<string, string>>,
): Promise<PreparedEngine> {
  const [port] = await freePorts(1);
  const address = `http://127.0.0.1:${port}`;
  const properties = join(folder, 'worker.properties');
  const log4j = join(folder, 'log4j2.properties');
  const log = join(folder, 'output.log');
  await mkdir(join(folder, 'temp'), { recursive: true });
  await writeFile(log4j, LOG4J);
  await writeFile(
    properties,
    kafkaProperties({ listeners: address, 'rest.advertised.host.name': '127.0.0.1', ...settings }),
  );
  if (user !== undefined) await giveTo(user, folder);
  return {
    title: 'Kafka Connect',
    address,
    folder,
    setup: undefined,
    launch: () => ({
      command: join(javaHome, 'bin', 'java'),
      args: [
        ...flags,
        `-Djava.io.tmpdir=${join(folder, 'temp')}`,
        `-Dlog4j2.configurationFile=${log4j}`,
        '-cp',
        join(files.libs, '*'),
        'org.apache.kafka.connect.cli.ConnectDistributed',
        properties,
      ],
      env: { HOME: folder, ...UTF8_PATHS },
      cwd: folder,
      log,
      user,
    }),
    log,
    pidFile: undefined,
    // The worker responds here with 200 when it has read its topics and joined its group.
    probe: httpProbe(new URL('/health', address)),
  };
}
