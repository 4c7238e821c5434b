import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable, findJavas, pickJava } from '@vitrine/engines/testing';
import type { Deployment } from '../deployment.ts';
import { installOnce } from '../install-once.ts';
import type { PostgresServer } from '../postgres.ts';
import { pythonPackages } from '../python.ts';
import { type ServiceProcess, startProgram } from '../service-process.ts';
import { KIT } from './marketplace.ts';

/** The published relays. */
export const RELAYS = ['relay.ts', 'relay.py', 'Relay.java'] as const;
export type Relay = (typeof RELAYS)[number];

/**
 * Installs what a relay needs, with the files that its users copy.
 * @returns the command that starts the relay, or the reason why this machine cannot run it
 */
export function relayCommand(relay: Relay): Promise<[string, ...string[]] | string> {
  return COMMANDS[relay]();
}

const COMMANDS: Record<Relay, () => Promise<[string, ...string[]] | string>> = {
  'relay.ts': async () => [process.execPath, join(KIT, 'relay.ts')],
  'relay.py': async () => {
    const requirements = join(KIT, 'requirements.txt');
    const packages = ['--requirement', requirements];
    const found = await pythonPackages(`relay-python-${await hashOf(requirements)}`, packages);
    return 'missing' in found ? found.missing : [join(found.programs, 'python3'), join(KIT, 'relay.py')];
  },
  'Relay.java': async () => {
    const java = pickJava(await findJavas(process.env, false));
    const mvn = await findExecutable('mvn', process.env);
    if (!java || mvn === undefined) return 'the Java relay needs Java 21 or newer, and Maven';
    const pom = join(KIT, 'pom.xml');
    const options = ['--batch-mode', '--no-transfer-progress', '--strict-checksums', '--file', pom];
    const found = await installOnce(
      `relay-java-${await hashOf(pom)}`,
      (folder) => [[mvn, ...options, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`]],
      { ...process.env, JAVA_HOME: java.home },
    );
    if ('missing' in found) return found.missing;
    const classPath = join(found.folder, '*');
    return [
      join(java.home, 'bin', 'java'),
      '-XX:TieredStopAtLevel=1',
      '-cp',
      classPath,
      join(KIT, 'Relay.java'),
    ];
  },
};

const hashOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 12);

/** Starts a relay between a database and the topic of a deployment. */
export function startRelay(
  relay: Relay,
  [command, ...args]: readonly [string, ...string[]],
  database: PostgresServer,
  { env, topic }: Deployment,
): ServiceProcess {
  return startProgram(command, args, {
    DATABASE_URL:
      relay === 'Relay.java'
        ? `jdbc:postgresql://127.0.0.1:${database.port}/postgres?user=vitrine`
        : database.url,
    KAFKA_BROKERS: env.KAFKA_BROKERS,
    LISTING_EVENTS_TOPIC: topic,
  });
}
