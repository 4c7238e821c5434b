import type { StartedTestContainer } from 'testcontainers';
import { EnginesError } from '../engine-control.ts';
import { ELASTICSEARCH_SETTINGS } from '../jvm/elasticsearch-process.ts';
import { KAFKA_SETTINGS } from '../jvm/kafka-process.ts';
import { tailOf } from '../log-tail.ts';
import { freePorts } from '../ports.ts';
import { elasticsearchProbe, kafkaProbe, type Probe } from '../readiness.ts';
import { announce, type StartedEngine, type StartedEngines, type StartRequest } from '../start-request.ts';
import { ContainerControl } from './docker-control.ts';
import { imagesOf } from './docker-images.ts';

const START_TIMEOUT_MS = 180_000;
const LOG_BYTES = 20_000;

/** Returns the name of the environment variable that sets a broker setting in the apache/kafka image. */
export function kafkaVariable(setting: string): string {
  return `KAFKA_${setting.replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_').toUpperCase()}`;
}

/** Starts the requested engines as containers. If this process dies, Ryuk (Testcontainers) removes them. */
export async function startContainers(request: StartRequest): Promise<StartedEngines> {
  const { wanted, onProgress, signal } = request;
  if (request.nodes > 1 || request.brokers > 1)
    throw new EnginesError('A cluster of several nodes or brokers requires VITRINE_ENGINES=java.');
  const images = await imagesOf(request.env);
  signal?.throwIfAborted();
  onProgress(`Starting ${wanted.join(' and ')} with Docker`);
  const containers: StartedTestContainer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(containers.map((container) => container.stop()));
  };
  const own = (container: StartedTestContainer): StartedTestContainer => {
    containers.push(container);
    return container;
  };
  // Waits for both containers, because a container may start after the other container failed, and must then
  // be removed.
  const [kafka, elasticsearch] = await Promise.allSettled([
    wanted.includes('kafka')
      ? announce('Kafka', onProgress, () => startKafka(images.kafka, request, own))
      : undefined,
    wanted.includes('elasticsearch')
      ? announce('Elasticsearch', onProgress, () => startElasticsearch(images.elasticsearch, request, own))
      : undefined,
  ]);
  if (kafka.status === 'fulfilled' && elasticsearch.status === 'fulfilled' && !signal?.aborted) {
    const engines = {
      kafka: kafka.value ? [kafka.value] : [],
      elasticsearch: elasticsearch.value ? [elasticsearch.value] : [],
    };
    // Docker cannot stop a frozen container gracefully, and the data is not needed, so this kills the
    // container.
    const kill = (): Promise<unknown> =>
      Promise.allSettled([...engines.kafka, ...engines.elasticsearch].map(({ control }) => control.kill()));
    const useVersions = () =>
      Promise.reject(new EnginesError('Another version requires VITRINE_ENGINES=java.'));
    return { ...engines, folder: undefined, useVersions, stop: () => kill().then(stop) };
  }
  await stop();
  signal?.throwIfAborted();
  throw kafka.status === 'rejected' ? kafka.reason : (elasticsearch as PromiseRejectedResult).reason;
}

type Own = (container: StartedTestContainer) => StartedTestContainer;

async function startKafka(image: string, { kafkaSettings }: StartRequest, own: Own): Promise<StartedEngine> {
  const host = await dockerHost();
  // The broker advertises its address, so the external port must be known before the start.
  const port = await freePort();
  const settings = {
    ...KAFKA_SETTINGS,
    listeners: 'PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9093',
    'advertised.listeners': `PLAINTEXT://${host}:${port}`,
    'controller.quorum.voters': '1@127.0.0.1:9093',
    ...kafkaSettings,
  };
  const environment = {
    KAFKA_HEAP_OPTS: '-Xmx512m',
    ...Object.fromEntries(
      Object.entries(settings).map(([setting, value]) => [kafkaVariable(setting), value]),
    ),
  };
  const address = `${host}:${port}`;
  const control = await startContainer(
    { title: 'Kafka', image, environment, port: { container: 9092, host: port }, probe: kafkaProbe(address) },
    own,
  );
  return { address, control };
}

async function startElasticsearch(
  image: string,
  { heap, elasticsearchSettings }: StartRequest,
  own: Own,
): Promise<StartedEngine> {
  const port = await freePort(); // a fixed port, because Docker would choose a different port after a restart
  const environment = {
    ES_JAVA_OPTS: `-Xms${heap} -Xmx${heap}`,
    'ingest.geoip.downloader.enabled': 'false',
    'xpack.ml.enabled': 'false',
    ...ELASTICSEARCH_SETTINGS,
    ...elasticsearchSettings,
  };
  const address = `http://${await dockerHost()}:${port}`;
  const probe = elasticsearchProbe(address);
  const control = await startContainer(
    { title: 'Elasticsearch', image, environment, port: { container: 9200, host: port }, probe },
    own,
  );
  return { address, control };
}

interface ContainerPlan {
  readonly title: string;
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly port: { readonly container: number; readonly host: number };
  readonly probe: Probe;
}

/** @throws EnginesError with the end of the container's log */
async function startContainer(
  { title, image, environment, port, probe }: ContainerPlan,
  own: Own,
): Promise<ContainerControl> {
  const { GenericContainer } = await import('testcontainers');
  const HostIp = bindAddress(await dockerHost());
  /** Testcontainers publishes ports on all addresses of the machine, and these engines have no passwords. */
  class LocalContainer extends GenericContainer {
    protected override async beforeContainerCreated(): Promise<void> {
      this.hostConfig.PortBindings = { [`${port.container}/tcp`]: [{ HostIp, HostPort: String(port.host) }] };
    }
  }
  let log = '';
  const container = new LocalContainer(image)
    .withEnvironment(environment)
    .withExposedPorts({ ...port })
    .withLogConsumer((stream) => void stream.on('data', (text) => (log = (log + text).slice(-LOG_BYTES))))
    .withStartupTimeout(START_TIMEOUT_MS);
  try {
    return await ContainerControl.whenUp(own(await container.start()), probe);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EnginesError(
      `The container of ${title} did not start (${reason}). The end of its log:\n${tailOf(log)}`,
      { cause },
    );
  }
}

/**
 * Returns the address at which Docker publishes ports: the loopback address if the Docker engine is local.
 */
export function bindAddress(dockerHost: string): string {
  return dockerHost === '127.0.0.1' ? '127.0.0.1' : '';
}

/**
 * Returns the IP address at which clients reach published ports. A host name could resolve to an IPv6 address
 * at which Docker does not publish.
 */
async function dockerHost(): Promise<string> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  return host === 'localhost' ? '127.0.0.1' : host;
}

async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}
