import { join } from 'node:path';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { cacheFolder, prepareCacheFolder } from '../download/cache-folder.ts';
import { checkDiskSpace } from '../download/disk-space.ts';
import {
  type Distribution,
  downloadDistribution,
  findDistribution,
  sweepDownloads,
} from '../download/distribution.ts';
import { type EngineVersions, versionVariables } from '../download/versions.ts';
import { EnginesError } from '../engine-control.ts';
import { freePorts } from '../ports.ts';
import { announce, type StartedEngine, type StartedEngines, type StartRequest } from '../start-request.ts';
import { clusterNodes, type ElasticsearchNode, prepareElasticsearch } from './elasticsearch-process.ts';
import { createInstanceFolder, sweepInstances } from './instance-folder.ts';
import { findExecutable, findJavas, type Java, pickJava } from './java-home.ts';
import { JvmEngine } from './jvm-engine.ts';
import { clusterBrokers, type KafkaBroker, prepareKafka } from './kafka-process.ts';
import { engineUser, type UnixUser } from './unprivileged-user.ts';

/** The prerequisites on this machine for running engines as JVMs. */
export interface JavaMachine {
  readonly cache: string;
  readonly user: UnixUser | undefined;
  readonly java: Java | undefined;
  /** All Java installations on this machine, suitable or not. */
  readonly javas: readonly Java[];
  readonly mvn: string | undefined;
  readonly distribution: Distribution | undefined;
}

/** Looks for Java, Maven and earlier downloads. */
export async function inspectJavaMachine(env: NodeJS.ProcessEnv): Promise<JavaMachine> {
  const user = await engineUser();
  const cache = cacheFolder(env, user !== undefined);
  const [javas, mvn, distribution] = await Promise.all([
    findJavas(env, user !== undefined),
    findExecutable('mvn', env),
    findDistribution(cache, env),
  ]);
  return { cache, user, java: pickJava(javas), javas, mvn, distribution };
}

/** Returns a sentence that names the missing prerequisites, or undefined if none are missing. */
export function missingForJava({
  java,
  javas,
  mvn,
  distribution,
}: Pick<JavaMachine, 'java' | 'javas' | 'mvn' | 'distribution'>): string | undefined {
  const tooOld = javas.map(({ home, version }) => `${home} has version ${version}`).join(', ');
  const noJava =
    java === undefined ? `no Java 21 or newer was found${tooOld === '' ? '' : ` (${tooOld})`}` : undefined;
  // Maven is needed only for the download.
  const noMaven =
    mvn === undefined && distribution === undefined ? 'Maven (mvn) is not on the PATH' : undefined;
  const missing = [noJava, noMaven].filter((reason) => reason !== undefined);
  return missing.length === 0 ? undefined : `${missing.join(', and ')}.`;
}

/**
 * Starts the requested engines as JVMs under one supervisor, in parallel. If one engine fails, this function
 * stops all of them.
 * @throws EnginesError with the end of the failed engine's log
 */
export async function startJvmEngines(machine: JavaMachine, request: StartRequest): Promise<StartedEngines> {
  const { cache, user, java } = machine;
  const { onProgress, signal } = request;
  if (java === undefined) throw new EnginesError('No Java 21 or newer was found.');
  await prepareCacheFolder(cache, user !== undefined);
  await sweepInstances(cache);
  await sweepDownloads(cache);
  await checkDiskSpace(cache, machine.distribution !== undefined);
  let distribution = machine.distribution ?? (await download(machine, java, request));
  const current = () => distribution;
  signal?.throwIfAborted();
  onProgress(`Starting ${request.wanted.join(' and ')} with Java ${java.version}`);
  const folder = await createInstanceFolder(cache);
  const supervisor = new ProcessSupervisor(folder);

  const kafka = (broker: KafkaBroker): Promise<StartedEngine> =>
    announce(request.brokers === 1 ? 'Kafka' : `Kafka broker ${broker.id}`, onProgress, async () => {
      const plan = {
        libs: distribution.kafkaLibs,
        broker,
        javaHome: java.home,
        folder: join(folder, request.brokers === 1 ? 'kafka' : `kafka-${broker.id}`),
        user,
        isShortLived: request.isShortLived,
        settings: request.kafkaSettings,
        security: request.security,
      };
      return JvmEngine.start(supervisor, () => prepareKafka(plan), current, signal);
    });
  const elasticsearch = (node: ElasticsearchNode): Promise<StartedEngine> =>
    announce(request.nodes === 1 ? 'Elasticsearch' : `Elasticsearch ${node.name}`, onProgress, async () => {
      let { transport } = node;
      const plan = {
        home: distribution.elasticsearchHome,
        javaHome: java.home,
        folder: join(folder, node.name),
        user,
        heap: request.heap,
        isShortLived: request.isShortLived,
        settings: request.elasticsearchSettings,
        security: request.security,
      };
      const prepare = () => {
        const prepared = prepareElasticsearch({ ...plan, node: { ...node, transport } });
        // If the port is taken, any other port works, because this node contacts the other nodes, which then
        // learn its address.
        transport = undefined;
        return prepared;
      };
      return JvmEngine.start(supervisor, prepare, current, signal);
    });
  try {
    const [startedKafka, startedElasticsearch] = await Promise.all([
      request.wanted.includes('kafka')
        ? Promise.all(clusterBrokers(await freePorts(request.brokers)).map(kafka))
        : [],
      request.wanted.includes('elasticsearch')
        ? Promise.all(clusterNodes(await freePorts(request.nodes)).map(elasticsearch))
        : [],
    ]);
    const useVersions = async (versions: Partial<EngineVersions>): Promise<void> => {
      const env = { ...request.env, ...versionVariables(versions) };
      distribution =
        (await findDistribution(cache, env)) ?? (await download(machine, java, { ...request, env }));
    };
    return {
      kafka: startedKafka,
      elasticsearch: startedElasticsearch,
      folder,
      useVersions,
      stop: () => supervisor.end(),
    };
  } catch (error) {
    await supervisor.end();
    throw error;
  }
}

async function download(
  { cache, user, mvn }: JavaMachine,
  java: Java,
  { env, onProgress, signal }: StartRequest,
): Promise<Distribution> {
  if (mvn === undefined) throw new EnginesError('Maven (mvn) is not on the PATH.');
  return downloadDistribution({
    cache,
    mvn,
    javaHome: java.home,
    env,
    forOthers: user !== undefined,
    onProgress,
    signal,
  });
}
