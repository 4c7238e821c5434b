import { EnginesError } from '../engine-control.ts';
import { ELASTICSEARCH_SETTINGS } from '../jvm/elasticsearch-process.ts';
import { KAFKA_SETTINGS } from '../jvm/kafka-process.ts';
import { freePorts } from '../ports.ts';
import { elasticsearchProbe, kafkaProbe } from '../readiness.ts';
import { announce, type StartedEngine, type StartedEngines, type StartRequest } from '../start-request.ts';
import { startContainer } from './container-start.ts';
import type { ContainerControl } from './docker-control.ts';
import { imagesOf } from './docker-images.ts';

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
  const failed = new AbortController();
  const both = { ...request, signal: AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]) };
  const start = (title: string, run: () => Promise<StartedContainer>): Promise<StartedContainer> =>
    announce(title, onProgress, run).catch((error: unknown) => {
      failed.abort(error); // the other engine is no longer needed
      throw error;
    });
  // This code waits for both containers, because a container may start after the other one has failed, and
  // must then be removed.
  const [kafka, elasticsearch] = await Promise.allSettled([
    wanted.includes('kafka') ? start('Kafka', () => startKafka(images.kafka, both)) : undefined,
    wanted.includes('elasticsearch')
      ? start('Elasticsearch', () => startElasticsearch(images.elasticsearch, both))
      : undefined,
  ]);
  const engines = {
    kafka: kafka.status === 'fulfilled' && kafka.value ? [kafka.value] : [],
    elasticsearch: elasticsearch.status === 'fulfilled' && elasticsearch.value ? [elasticsearch.value] : [],
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...engines.kafka, ...engines.elasticsearch].map(({ control }) => control.remove()));
  };
  const useVersions = () =>
    Promise.reject(new EnginesError('Another version requires VITRINE_ENGINES=java.'));
  if (kafka.status === 'fulfilled' && elasticsearch.status === 'fulfilled' && !signal?.aborted)
    return { ...engines, folder: undefined, useVersions, stop };
  await stop();
  signal?.throwIfAborted();
  throw failed.signal.reason;
}

interface StartedContainer extends StartedEngine {
  readonly control: ContainerControl;
}

async function startKafka(image: string, { kafkaSettings, signal }: StartRequest): Promise<StartedContainer> {
  const host = await dockerHost();
  // The broker advertises its address, so the external port must be known before the start.
  const port = await freePort();
  const settings = {
    ...KAFKA_SETTINGS,
    // The broker sends requests to itself, for example in transactions. It cannot reach its external port.
    listeners: 'PLAINTEXT://0.0.0.0:9092,INTERNAL://127.0.0.1:9094,CONTROLLER://127.0.0.1:9093',
    'advertised.listeners': `PLAINTEXT://${host}:${port},INTERNAL://127.0.0.1:9094`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INTERNAL',
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
    {
      title: 'Kafka',
      image,
      environment,
      port: { container: 9092, host: port },
      hostIp: bindAddress(host),
      probe: kafkaProbe(address),
    },
    signal,
  );
  return { address, control };
}

async function startElasticsearch(
  image: string,
  { heap, elasticsearchSettings, signal }: StartRequest,
): Promise<StartedContainer> {
  const host = await dockerHost();
  const port = await freePort(); // a fixed port, because Docker would choose a different port after a restart
  const environment = {
    ES_JAVA_OPTS: `-Xms${heap} -Xmx${heap}`,
    'ingest.geoip.downloader.enabled': 'false',
    'xpack.ml.enabled': 'false',
    ...ELASTICSEARCH_SETTINGS,
    ...elasticsearchSettings,
  };
  const address = `http://${host}:${port}`;
  const control = await startContainer(
    {
      title: 'Elasticsearch',
      image,
      environment,
      port: { container: 9200, host: port },
      hostIp: bindAddress(host),
      probe: elasticsearchProbe(address),
    },
    signal,
  );
  return { address, control };
}

/**
 * Returns the address at which Docker publishes ports. It is the loopback address if the Docker engine is
 * local.
 */
export function bindAddress(dockerHost: string): string {
  return dockerHost === '127.0.0.1' ? '127.0.0.1' : '';
}

/**
 * Returns the IP address at which clients reach published ports. A host name could resolve to an IPv6 address
 * at which Docker does not publish ports.
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
