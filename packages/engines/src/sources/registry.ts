import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { REGISTRY } from '../download/distributions.ts';
import type { PreparedEngine } from '../engine-process.ts';
import { giveTo } from '../jvm/unprivileged-user.ts';
import { UTF8_PATHS } from '../launch.ts';
import { freePorts } from '../ports.ts';
import { httpProbe } from '../readiness.ts';
import { type JavaPlan, type SourceOptions, type SourceServer, startJavaSource } from './source-server.ts';

export interface RegistryServer extends SourceServer {
  /** The address for clients of Confluent's Schema Registry. */
  readonly url: string;
}

/**
 * Starts a schema registry (Apicurio Registry) with Confluent's interface and an empty database.
 * @throws EnginesError that names the missing software, or contains the end of the registry's log
 */
export async function startRegistry(options: SourceOptions = {}): Promise<RegistryServer> {
  const { address, server } = await startJavaSource(
    'The schema registry',
    REGISTRY,
    prepareRegistry,
    '256m',
    options,
  );
  return { ...server, url: address };
}

async function prepareRegistry({
  files,
  javaHome,
  folder,
  user,
  flags,
}: JavaPlan<{ readonly home: string }>): Promise<PreparedEngine> {
  const [port, management] = await freePorts(2);
  const address = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const log = join(folder, 'output.log');
  await mkdir(join(folder, 'temp'), { recursive: true });
  if (user !== undefined) await giveTo(user, folder);
  return {
    title: 'The schema registry',
    address,
    folder,
    setup: undefined,
    launch: () => ({
      command: join(javaHome, 'bin', 'java'),
      args: [
        ...flags,
        `-Djava.io.tmpdir=${join(folder, 'temp')}`,
        '-jar',
        join(files.home, 'quarkus-run.jar'),
      ],
      env: {
        HOME: folder,
        ...UTF8_PATHS,
        QUARKUS_HTTP_HOST: '127.0.0.1',
        QUARKUS_HTTP_PORT: String(port),
        QUARKUS_MANAGEMENT_HOST: '127.0.0.1',
        QUARKUS_MANAGEMENT_PORT: String(management),
        QUARKUS_LOG_LEVEL: 'WARN',
        QUARKUS_HTTP_ACCESS_LOG_ENABLED: 'false',
        APICURIO_STORAGE_KIND: 'sql',
        APICURIO_STORAGE_SQL_KIND: 'h2',
        // Without a write delay, a killed registry keeps each schema whose id it has returned.
        APICURIO_DATASOURCE_URL: `jdbc:h2:file:${join(folder, 'data')};WRITE_DELAY=0`,
        APICURIO_IMPORT_WORK_DIR: join(folder, 'temp'),
        APICURIO_STORAGE_SNAPSHOT_LOCATION: join(folder, 'temp'),
      },
      cwd: folder,
      log,
      user,
    }),
    log,
    pidFile: undefined,
    probe: httpProbe(new URL(`${address}/subjects`)),
  };
}
