import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, ENGINES, findDistribution, findJavas, pickJava } from '@vitrine/engines/testing';

const run = promisify(execFile);

/**
 * Runs Kafka's command `kafka-features.sh` from the downloaded jars.
 * @param version the version of the command
 * @returns its output
 */
export async function kafkaFeatures(
  version: string,
  brokers: string,
  ...args: readonly string[]
): Promise<string> {
  const isRoot = process.geteuid?.() === 0;
  const env = { ...process.env, VITRINE_KAFKA_VERSION: version };
  const [java, distribution] = await Promise.all([
    findJavas(env, isRoot).then(pickJava),
    findDistribution(ENGINES, cacheFolder(env, isRoot), env),
  ]);
  if (java === undefined || distribution === undefined) throw new Error('Java or Kafka is missing');
  const command = ['-Xmx128m', '-cp', join(distribution.kafkaLibs, '*')];
  const { stdout } = await run(
    join(java.home, 'bin', 'java'),
    [...command, 'org.apache.kafka.tools.FeatureCommand', '--bootstrap-server', brokers, ...args],
    { timeout: 60_000 },
  );
  return stdout;
}

/** The metadata version that all brokers use, for example 4.1-IV1. */
export async function metadataVersion(version: string, brokers: string): Promise<string | undefined> {
  const output = await kafkaFeatures(version, brokers, 'describe');
  return /^Feature: metadata\.version\b.*FinalizedVersionLevel: (\S+)/m.exec(output)?.[1];
}

/** The command line of a process, which names the folder of its jars. */
export const commandLineOf = async (pid: number | undefined): Promise<string> =>
  (await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout;
