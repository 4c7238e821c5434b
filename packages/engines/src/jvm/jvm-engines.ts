import { join } from 'node:path';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { findDistribution } from '../download/distribution.ts';
import { ENGINES, type EngineFiles } from '../download/distributions.ts';
import { type EngineVersions, versionVariables } from '../download/versions.ts';
import { EngineProcess } from '../engine-process.ts';
import { freePorts } from '../ports.ts';
import { announce, type StartedEngine, type StartedEngines, type StartRequest } from '../start-request.ts';
import { clusterNodes, type ElasticsearchNode, prepareElasticsearch } from './elasticsearch-process.ts';
import { createInstanceFolder } from './instance-folder.ts';
import { download, type JavaMachine, prepareJavaMachine } from './java-machine.ts';
import { clusterBrokers, type KafkaBroker, prepareKafka } from './kafka-process.ts';

/**
 * Starts the requested engines as JVMs under one supervisor, in parallel. If one engine fails, this function
 * stops all of them.
 * @throws EnginesError with the end of the failed engine's log
 */
export async function startJvmEngines(
  machine: JavaMachine<EngineFiles>,
  request: StartRequest,
): Promise<StartedEngines> {
  const { cache, user } = machine;
  const { onProgress, signal } = request;
  const { java, files } = await prepareJavaMachine(machine, request);
  let current = files;
  onProgress(`Starting ${request.wanted.join(' and ')} with Java ${java.version}`);
  const folder = await createInstanceFolder(cache);
  const supervisor = new ProcessSupervisor(folder);

  const kafka = (broker: KafkaBroker): Promise<StartedEngine> =>
    announce(request.brokers === 1 ? 'Kafka' : `Kafka broker ${broker.id}`, onProgress, async () => {
      const plan = {
        files: () => current,
        broker,
        javaHome: java.home,
        folder: join(folder, request.brokers === 1 ? 'kafka' : `kafka-${broker.id}`),
        user,
        isShortLived: request.isShortLived,
        settings: request.kafkaSettings,
        security: request.security,
      };
      return EngineProcess.start(supervisor, () => prepareKafka(plan), signal);
    });
  const elasticsearch = (node: ElasticsearchNode): Promise<StartedEngine> =>
    announce(request.nodes === 1 ? 'Elasticsearch' : `Elasticsearch ${node.name}`, onProgress, async () => {
      let { transport } = node;
      const plan = {
        files: () => current,
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
      return EngineProcess.start(supervisor, prepare, signal);
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
      current =
        (await findDistribution(ENGINES, cache, env)) ?? (await download(machine, java, { ...request, env }));
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
