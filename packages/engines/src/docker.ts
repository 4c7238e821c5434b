/**
 * Runs the engines as containers.
 * NOT RUN on the development and CI machines, which have no Docker engine. Only the compiler has checked this file. Treat
 * it as a draft until `VITRINE_ENGINES=docker npm run engines` has run.
 */
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartedTestContainer } from 'testcontainers';
import { named } from './choice.ts';
import { nameDistribution, POM } from './distribution.ts';
import { ContainerControl } from './docker-control.ts';
import { ELASTICSEARCH_SETTINGS } from './elasticsearch-process.ts';
import { EnginesError } from './engine-control.ts';
import { KAFKA_SETTINGS } from './kafka-process.ts';
import { freePorts } from './ports.ts';
import { elasticsearchProbe, kafkaProbe } from './readiness.ts';
import { announce, type StartedEngine, type StartedEngines, type StartRequest } from './start-request.ts';

const ANSWER_WITHIN_MS = 10_000;
const START_TIMEOUT_MS = 180_000;

/** Returns whether a Docker engine responds. Loads testcontainers (half a second) only if a Docker engine seems to exist. */
export async function dockerAnswers(env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!(await hasSignOfDocker(env))) return false;
  const { getContainerRuntimeClient } = await import('testcontainers');
  const late = delay(ANSWER_WITHIN_MS, false, { ref: false });
  return Promise.race([
    getContainerRuntimeClient().then(
      () => true,
      () => false,
    ),
    late,
  ]);
}

/** The environment variable of the image apache/kafka for a broker setting. */
export function kafkaVariable(setting: string): string {
  return `KAFKA_${setting.replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_').toUpperCase()}`;
}

/** Starts the requested engines as containers. Testcontainers' Ryuk removes them if this process dies. */
export async function startContainers(request: StartRequest): Promise<StartedEngines> {
  const { wanted, onProgress, signal } = request;
  if (request.nodes > 1) throw new EnginesError('Several nodes of Elasticsearch are only started as JVMs: VITRINE_ENGINES=java.');
  const versions = nameDistribution(await readFile(POM, 'utf8'));
  signal?.throwIfAborted();
  onProgress(`Starting ${wanted.join(' and ')} with Docker (the first time it downloads the images)`);
  const containers: StartedTestContainer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(containers.map((container) => container.stop()));
  };
  const own = (container: StartedTestContainer): StartedTestContainer => {
    containers.push(container);
    return container;
  };
  // Waits for both: a container that starts after the other one failed must be removed too.
  const [kafka, elasticsearch] = await Promise.allSettled([
    wanted.includes('kafka') ? announce('Kafka', onProgress, () => startKafka(versions.kafka, request, own)) : undefined,
    wanted.includes('elasticsearch')
      ? announce('Elasticsearch', onProgress, () => startElasticsearch(versions.elasticsearch, request, own))
      : undefined,
  ]);
  if (kafka.status === 'fulfilled' && elasticsearch.status === 'fulfilled' && !signal?.aborted) {
    const engines = { kafka: kafka.value, elasticsearch: elasticsearch.value ? [elasticsearch.value] : [] };
    // Docker does not stop a frozen container, and no data is kept, so kill it immediately.
    const kill = (): Promise<unknown> =>
      Promise.allSettled([engines.kafka?.control.kill(), ...engines.elasticsearch.map(({ control }) => control.kill())]);
    return { ...engines, folder: undefined, stop: () => kill().then(stop) };
  }
  await stop();
  signal?.throwIfAborted();
  throw kafka.status === 'rejected' ? kafka.reason : (elasticsearch as PromiseRejectedResult).reason;
}

type Own = (container: StartedTestContainer) => StartedTestContainer;

async function startKafka(version: string, { kafkaSettings }: StartRequest, own: Own): Promise<StartedEngine> {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  // The broker advertises its address, so the external port must be known before the start.
  const port = await freePort();
  const settings = {
    ...KAFKA_SETTINGS,
    listeners: 'PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9093',
    'advertised.listeners': `PLAINTEXT://${host}:${port}`,
    'controller.quorum.voters': '1@127.0.0.1:9093',
    ...kafkaSettings,
  };
  const container = new GenericContainer(`apache/kafka:${version}`)
    .withEnvironment({
      KAFKA_HEAP_OPTS: '-Xmx512m',
      ...Object.fromEntries(Object.entries(settings).map(([setting, value]) => [kafkaVariable(setting), value])),
    })
    .withExposedPorts({ container: 9092, host: port })
    .withStartupTimeout(START_TIMEOUT_MS);
  const address = `${host}:${port}`;
  return { address, control: await ContainerControl.whenUp(own(await container.start()), kafkaProbe(address)) };
}

async function startElasticsearch(version: string, { heap, elasticsearchSettings }: StartRequest, own: Own): Promise<StartedEngine> {
  const { GenericContainer } = await import('testcontainers');
  const port = await freePort(); // Docker would choose a different port after a restart
  const container = new GenericContainer(`elasticsearch:${version}`)
    .withEnvironment({
      ES_JAVA_OPTS: `-Xms${heap} -Xmx${heap}`,
      'ingest.geoip.downloader.enabled': 'false',
      'xpack.ml.enabled': 'false',
      ...ELASTICSEARCH_SETTINGS,
      ...elasticsearchSettings,
    })
    .withExposedPorts({ container: 9200, host: port })
    .withStartupTimeout(START_TIMEOUT_MS);
  const started = own(await container.start());
  const address = `http://${started.getHost()}:${port}`;
  return { address, control: await ContainerControl.whenUp(started, elasticsearchProbe(address)) };
}

async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}

async function hasSignOfDocker(env: NodeJS.ProcessEnv): Promise<boolean> {
  if (named(env, 'DOCKER_HOST') !== undefined || process.platform === 'win32') return true;
  const home = named(env, 'HOME') ?? homedir();
  const runtime = named(env, 'XDG_RUNTIME_DIR');
  const signs = [
    '/var/run/docker.sock',
    ...['.testcontainers.properties', '.docker/run/docker.sock', '.docker/desktop/docker.sock'].map((path) => join(home, path)),
  ];
  if (runtime !== undefined) signs.push(join(runtime, 'docker.sock'));
  signs.push(`/run/user/${process.getuid?.()}/docker.sock`);
  const found = await Promise.all(
    signs.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
