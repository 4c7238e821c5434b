import { chooseSources, type Machine, named } from './choice.ts';
import { startContainers } from './docker/docker.ts';
import { prepareDocker } from './docker/docker-images.ts';
import { ENGINES, type EngineFiles } from './download/distributions.ts';
import { type EngineName, type EngineSource, type Engines, EnginesError } from './engine-control.ts';
import { inspectJavaMachine, type JavaMachine, missingForJava } from './jvm/java-machine.ts';
import { startJvmEngines } from './jvm/jvm-engines.ts';
import { createSecurity } from './security.ts';
import type { EnginesOptions, StartedEngines, StartRequest } from './start-request.ts';

const NONE: StartedEngines = {
  kafka: [],
  elasticsearch: [],
  folder: undefined,
  useVersions: () => Promise.reject(new EnginesError('These engines were not started by this process.')),
  stop: async () => {},
};

/**
 * Provides Kafka and Elasticsearch, ready for use. Uses the engines that the environment names, and otherwise
 * starts new, empty engines with Docker or as JVMs. Started engines end with `stop()` or with this process,
 * even after a crash. The engines do not keep the event loop alive.
 * @throws EnginesError that names the missing software or the failure; the signal's reason on abort
 */
export async function startEngines(options: EnginesOptions = {}): Promise<Engines> {
  const env = options.env ?? process.env;
  let machine: JavaMachine<EngineFiles> | undefined;
  const onProgress = options.onProgress ?? (() => {});
  const prober: Machine = {
    prepareDocker: (wanted) => prepareDocker(wanted, env, onProgress, options.signal),
    missingForJava: async () => {
      machine = await inspectJavaMachine(ENGINES, env);
      return missingForJava(machine);
    },
  };
  const source = await chooseSources(env, prober, onProgress);
  const request: StartRequest = {
    wanted: (['kafka', 'elasticsearch'] as const).filter((engine) => source[engine] !== 'environment'),
    env,
    onProgress,
    nodes: options.elasticsearchNodes ?? 1,
    brokers: options.kafkaBrokers ?? 1,
    heap: options.elasticsearchHeap ?? '1g',
    isShortLived: env['VITRINE_SHORT_LIVED_ENGINES'] === '1' || (options.elasticsearchNodes ?? 1) > 1,
    kafkaSettings: options.kafkaSettings ?? {},
    elasticsearchSettings: options.elasticsearchSettings ?? {},
    security: options.users && (await createSecurity(options.users)),
    signal: options.signal,
  };
  const started = await startOwn(source, machine, request);
  return {
    settings: {
      KAFKA_BROKERS:
        started.kafka.map(({ address }) => address).join(',') || (named(env, 'KAFKA_BROKERS') ?? ''),
      ELASTICSEARCH_URL:
        started.elasticsearch.map(({ address }) => address).join(',') ||
        (named(env, 'ELASTICSEARCH_URL') ?? ''),
    },
    source,
    kafka: started.kafka[0]?.control,
    kafkaBrokers: started.kafka.map(({ control }) => control),
    useVersions: (versions) => started.useVersions(versions),
    elasticsearch: started.elasticsearch[0]?.control,
    elasticsearchNodes: started.elasticsearch.map(({ control }) => control),
    ca: request.security?.ca,
    folder: started.folder,
    stop: () => started.stop(),
  };
}

function startOwn(
  source: Record<EngineName, EngineSource>,
  machine: JavaMachine<EngineFiles> | undefined,
  request: StartRequest,
): Promise<StartedEngines> {
  const sources = Object.values(source);
  if (request.security !== undefined && !sources.every((one) => one === 'java'))
    throw new EnginesError('Engines with security require VITRINE_ENGINES=java.');
  if (sources.includes('docker')) return startContainers(request);
  return machine !== undefined && sources.includes('java')
    ? startJvmEngines(machine, request)
    : Promise.resolve(NONE);
}
