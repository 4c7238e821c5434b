import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { EngineFiles } from '../download/distributions.ts';
import { type PreparedEngine, SHORT_LIVED } from '../engine-process.ts';
import { UTF8_PATHS } from '../launch.ts';
import { freePorts } from '../ports.ts';
import { elasticsearchProbe } from '../readiness.ts';
import { type EngineSecurity, fileRealm } from '../security.ts';
import { giveTo, type UnixUser } from './unprivileged-user.ts';

/** One node of a cluster. */
export interface ElasticsearchNode {
  readonly name: string;
  /** The transport port for the other nodes. If it is undefined, any free port is used. */
  readonly transport: number | undefined;
  /** Elasticsearch's settings for discovery, which contain the addresses of the other nodes. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface ElasticsearchPlan {
  /**
   * Returns the files that the next start uses. The configuration comes from the files of the first start.
   */
  readonly files: () => EngineFiles;
  readonly javaHome: string;
  /** The folder to create for this instance. */
  readonly folder: string;
  readonly user: UnixUser | undefined;
  readonly node: ElasticsearchNode;
  /** The heap size in JVM notation, such as 512m or 1g. */
  readonly heap: string;
  readonly isShortLived: boolean;
  /** Settings that override the defaults of this package. */
  readonly settings: Readonly<Record<string, string>>;
  readonly security: EngineSecurity | undefined;
}

/** The default settings for a JVM and for a container: one node, no security, no automatic index creation. */
export const ELASTICSEARCH_SETTINGS: Readonly<Record<string, string>> = {
  'cluster.name': 'vitrine',
  'discovery.type': 'single-node',
  'xpack.security.enabled': 'false',
  'action.auto_create_index': 'false',
  // The default watermarks are percentages, so at 95 % disk usage, every index would become read-only.
  // Absolute watermarks allow more usage, but still act before the disk is full.
  'cluster.routing.allocation.disk.watermark.low': '600mb',
  'cluster.routing.allocation.disk.watermark.high': '400mb',
  'cluster.routing.allocation.disk.watermark.flood_stage': '200mb',
};

/**
 * Plans a cluster with one node per transport port on 127.0.0.1. Each node is master-eligible. A single node
 * skips discovery.
 */
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
    settings: names.length > 1 ? together : {},
  }));
}

/** Returns the content of elasticsearch.yml. Every JSON string is a valid YAML string. */
export function elasticsearchYaml(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}

/** Writes the files for a node that uses free ports on 127.0.0.1. */
export async function prepareElasticsearch(plan: ElasticsearchPlan): Promise<PreparedEngine> {
  const { javaHome, folder, user, heap, node, security } = plan;
  const [http, another] = await freePorts(2);
  const config = join(folder, 'config');
  const temp = join(folder, 'temp');
  const logs = join(folder, 'logs');
  const pidFile = join(folder, 'pid');
  const log = join(folder, 'output.log');
  await mkdir(join(folder, 'data'), { recursive: true });
  await mkdir(temp);
  await mkdir(logs);
  await cp(join(plan.files().elasticsearchHome, 'config'), config, { recursive: true });
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
    log,
    launch: () => {
      const { elasticsearchHome } = plan.files();
      return {
        command: join(elasticsearchHome, 'bin', 'elasticsearch'),
        args: ['-p', pidFile],
        env: {
          PATH: process.env['PATH'] ?? '/usr/bin:/bin',
          HOME: folder,
          ...UTF8_PATHS,
          ES_JAVA_HOME: javaHome,
          ES_JAVA_OPTS: [`-Xms${heap} -Xmx${heap}`, ...(plan.isShortLived ? SHORT_LIVED : [])].join(' '),
          ES_PATH_CONF: config,
          ES_TMPDIR: temp,
          // The launcher, which is a separate JVM, leaves a folder behind. The launcher's script changes to
          // its own folder and splits the options at spaces. An absolute path can contain spaces, for example
          // in the user's name, so this path is relative.
          CLI_JAVA_OPTS: `-Djava.io.tmpdir=${relative(elasticsearchHome, temp)}`,
        },
        cwd: folder,
        log,
        user,
      };
    },
    pidFile,
    probe: elasticsearchProbe(url, security),
  };
}

/**
 * Writes the files for the users, the roles and the certificate. @returns the settings that refer to these
 * files
 */
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
