import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EnginesError } from './engine-control.ts';
import { runMaven } from './maven.ts';
import { isAlive } from './process-table.ts';
import { openToReaders } from './unprivileged-user.ts';

export const POM = fileURLToPath(new URL('../../../infra/engines/pom.xml', import.meta.url));

/** The unpacked engines in the cache. */
export interface Distribution {
  readonly elasticsearchHome: string;
  /** The folder of Kafka's jars. */
  readonly kafkaLibs: string;
}

/** The versions that the pom names, and the folder that holds exactly what this pom downloads. */
export interface DistributionName {
  readonly kafka: string;
  readonly elasticsearch: string;
  readonly folder: string;
}

export interface Download {
  readonly cache: string;
  readonly mvn: string;
  readonly env: NodeJS.ProcessEnv;
  /** Makes the files readable for other users, because one of them runs the engines. */
  readonly forOthers: boolean;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Reads versions and folder name from the text of infra/engines/pom.xml. */
export function nameDistribution(pom: string): DistributionName {
  const version = (engine: string): string => {
    const found = new RegExp(`<${engine}\\.version>([^<]+)</`).exec(pom)?.[1];
    if (found === undefined) throw new EnginesError(`${POM} names no ${engine}.version.`);
    return found;
  };
  const kafka = version('kafka');
  const elasticsearch = version('elasticsearch');
  const content = createHash('sha256').update(pom).digest('hex').slice(0, 8);
  return { kafka, elasticsearch, folder: `kafka-${kafka}-elasticsearch-${elasticsearch}-${content}` };
}

/** The cached distribution; undefined before the download. */
export async function findDistribution(cache: string): Promise<Distribution | undefined> {
  const folder = join(cache, nameDistribution(await readFile(POM, 'utf8')).folder);
  return (await exists(folder)) ? openDistribution(folder) : undefined;
}

/**
 * Downloads the distribution with Maven. The folder appears atomically and complete. If another process already
 * downloads it, this one waits.
 * @throws EnginesError with the end of Maven's log
 */
export async function downloadDistribution(download: Download): Promise<Distribution> {
  const { cache, mvn, env, onProgress, signal } = download;
  const name = nameDistribution(await readFile(POM, 'utf8'));
  const folder = join(cache, name.folder);
  if (await othersDownload(folder, cache, name.folder, download)) return openDistribution(folder);

  onProgress(`Downloading Kafka ${name.kafka} and Elasticsearch ${name.elasticsearch} with Maven into ${cache} (once, about 190 MB)`);
  const partial = join(cache, partialName(name.folder, process.pid));
  const log = `${partial}.log`;
  try {
    await mkdir(partial);
    await runMaven({ mvn, pom: POM, target: partial, log, env, signal });
    await openDistribution(partial);
    if (download.forOthers) await openToReaders(partial);
    await rename(partial, folder).catch(async (error: unknown) => {
      // Another process was faster, and its folder has the same content.
      if (!(await exists(folder))) throw error;
    });
    await rm(log, { force: true });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return openDistribution(folder);
}

/** The temporary name of the folder while a process builds it. */
export function partialName(folder: string, pid: number): string {
  return `${folder}.${pid}.${randomBytes(3).toString('hex')}.partial`;
}

/** The id of the process that builds this folder; undefined for other names. */
export function partialOwner(folder: string, entry: string): number | undefined {
  const pid = entry.startsWith(`${folder}.`) ? /^\.(\d+)\.[0-9a-f]{6}\.partial$/.exec(entry.slice(folder.length))?.[1] : undefined;
  return pid === undefined ? undefined : Number(pid);
}

/** Waits while another live process downloads, and deletes the remains of dead ones. Returns whether the folder exists then. */
async function othersDownload(folder: string, cache: string, name: string, { onProgress, signal }: Download): Promise<boolean> {
  for (let told = false; ; told = true) {
    if (await exists(folder)) return true;
    let busy = false;
    for (const entry of await readdir(cache)) {
      const owner = partialOwner(name, entry);
      if (owner === undefined) continue;
      if (isAlive(owner)) busy = true;
      else if (await isOld(join(cache, entry))) await rm(join(cache, entry), { recursive: true, force: true });
    }
    if (!busy) return false;
    if (!told) onProgress('Waiting for another process that downloads Kafka and Elasticsearch');
    await delay(500, undefined, signal === undefined ? {} : { signal });
  }
}

/** The Maven of a dead owner may still write for a while, and an owner in another container looks dead from here. */
async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path);
  return Date.now() - mtimeMs > 15 * 60_000;
}

async function openDistribution(folder: string): Promise<Distribution> {
  const unpacked = (await readdir(join(folder, 'elasticsearch'))).find((entry) => entry.startsWith('elasticsearch-'));
  if (unpacked === undefined) throw new EnginesError(`${folder} holds no Elasticsearch. Delete it and try again.`);
  return { elasticsearchHome: join(folder, 'elasticsearch', unpacked), kafkaLibs: join(folder, 'kafka') };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
