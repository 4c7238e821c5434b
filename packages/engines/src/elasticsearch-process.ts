import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PreparedEngine } from './jvm-engine.ts';
import { freePorts } from './ports.ts';
import { elasticsearchProbe } from './readiness.ts';
import { type EngineSecurity, fileRealm } from './security.ts';
import { giveTo, type UnixUser } from './unprivileged-user.ts';

/** One node of a cluster. */
export interface ElasticsearchNode {
  readonly name: string;
  /** Where the others look for it; undefined = any free port will do. */
  readonly transport: number | undefined;
  /** By which the nodes find each other. */
  readonly settings: Readonly<Record<string, string>>;
  readonly jvmFlags: string;
}

export interface ElasticsearchPlan {
  /** The unpacked server. */
  readonly home: string;
  readonly javaHome: string;
  /** The folder to make for this instance. */
  readonly folder: string;
  readonly user: UnixUser | undefined;
  readonly node: ElasticsearchNode;
  /** As the JVM takes it: 512m, 1g. */
  readonly heap: string;
  /** Wins over our own settings. */
  readonly settings: Readonly<Record<string, string>>;
  readonly security: EngineSecurity | undefined;
}

/** What both the JVM and the container get: one node, no security, and no index made by a write to a wrong name. */
export const ELASTICSEARCH_SETTINGS: Readonly<Record<string, string>> = {
  'cluster.name': 'vitrine',
  'discovery.type': 'single-node',
  'xpack.security.enabled': 'false',
  'action.auto_create_index': 'false',
  // The defaults are percentages: a developer's disk that is 95 % full would make every index read-only.
  // Absolute ones still stop before the disk is really full.
  'cluster.routing.allocation.disk.watermark.low': '600mb',
  'cluster.routing.allocation.disk.watermark.high': '400mb',
  'cluster.routing.allocation.disk.watermark.flood_stage': '200mb',
};

/** Several nodes are for a test of minutes: compiling them for the long run would take the cores from what is tested. */
const SHORT_LIVED = '-XX:TieredStopAtLevel=1';

/** The nodes of a cluster on these ports of 127.0.0.1, each of which may become its master; one alone looks for no other. */
export function clusterNodes(transportPorts: readonly number[]): ElasticsearchNode[] {
  const names = transportPorts.map((_, index) => `vitrine-${index + 1}`);
  const together = {
    'discovery.type': 'multi-node',
    'discovery.seed_hosts': transportPorts.map((port) => `127.0.0.1:${port}`).join(','),
    'cluster.initial_master_nodes': names.join(','),
  };
  return names.map((name, index) => ({
    name,
    transport: transportPorts[index],
    ...(names.length > 1 ? { settings: together, jvmFlags: SHORT_LIVED } : { settings: {}, jvmFlags: '' }),
  }));
}

/** elasticsearch.yml: a JSON string is a YAML string. */
export function elasticsearchYaml(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}

/** Writes the files of a node on free ports of 127.0.0.1. */
export async function prepareElasticsearch(plan: ElasticsearchPlan): Promise<PreparedEngine> {
  const { home, javaHome, folder, user, heap, node, security } = plan;
  const [http, another] = await freePorts(2);
  const config = join(folder, 'config');
  const temp = join(folder, 'temp');
  const logs = join(folder, 'logs');
  const pidFile = join(folder, 'pid');
  await mkdir(join(folder, 'data'), { recursive: true });
  await mkdir(temp);
  await mkdir(logs);
  await cp(join(home, 'config'), config, { recursive: true });
  const settings = {
    ...ELASTICSEARCH_SETTINGS,
    ...node.settings,
    'node.name': node.name,
    'network.host': '127.0.0.1',
    'http.port': String(http),
    'transport.port': String(node.transport ?? another),
    'path.data': join(folder, 'data'),
    'path.logs': logs,
    ...(security && (await secure(security, config))),
    ...plan.settings,
  };
  await writeFile(join(config, 'elasticsearch.yml'), elasticsearchYaml(settings));
  if (user !== undefined) await giveTo(user, folder);
  const url = `${security ? 'https' : 'http'}://127.0.0.1:${http}`;
  return {
    title: `Elasticsearch (${node.name})`,
    address: url,
    folder,
    setup: undefined,
    launch: {
      command: join(home, 'bin', 'elasticsearch'),
      args: ['-p', pidFile],
      env: {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        HOME: folder,
        ES_JAVA_HOME: javaHome,
        ES_JAVA_OPTS: `-Xms${heap} -Xmx${heap} ${node.jvmFlags}`.trim(),
        ES_PATH_CONF: config,
        ES_TMPDIR: temp,
      },
      cwd: folder,
      log: join(folder, 'output.log'),
      user,
    },
    pidFile,
    probe: elasticsearchProbe(url, security),
  };
}

/** Writes users, roles and certificate. @returns the settings that use them */
async function secure(security: EngineSecurity, config: string): Promise<Record<string, string>> {
  const files = { ...fileRealm(security), 'http.pem': security.certificate, 'http.key': security.key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(config, name), text);
  return {
    'xpack.security.enabled': 'true',
    'xpack.security.http.ssl.enabled': 'true',
    'xpack.security.http.ssl.certificate': 'http.pem',
    'xpack.security.http.ssl.key': 'http.key',
  };
}
