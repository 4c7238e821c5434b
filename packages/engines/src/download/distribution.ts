import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openToReaders } from '../jvm/unprivileged-user.ts';
import type { Distribution } from './distributions.ts';
import { runMaven } from './maven.ts';

/**
 * The interval at which a downloading process updates the modification time of its folder. A process that no
 * longer does so counts as dead.
 */
const BEAT_EVERY_MS = 2_000;
const DEAD_AFTER_MS = 30_000;
/**
 * The minimum age of an abandoned download. A Maven process may continue to write for a while after the
 * process that started it has died.
 */
const LEFT_BEHIND_AFTER_MS = 15 * 60_000;

/** The chosen versions, and the name of the folder for exactly the files that this pom downloads. */
export interface DistributionName {
  readonly versions: Readonly<Record<string, string>>;
  readonly folder: string;
}

export interface Download {
  readonly cache: string;
  readonly mvn: string;
  readonly javaHome: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether to make the files readable by other users. Another user may run the engines. */
  readonly forOthers: boolean;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Determines the versions and the folder name from the pom's text and from the environment. */
export function nameDistribution(
  distribution: Pick<Distribution<unknown>, 'versions'>,
  pom: string,
  env: NodeJS.ProcessEnv = {},
): DistributionName {
  const versions = distribution.versions(pom, env);
  const content = createHash('sha256').update(pom).digest('hex').slice(0, 8);
  return { versions, folder: [...Object.entries(versions).flat(), content].join('-') };
}

/** Finds the cached distribution with the chosen versions. Returns undefined before the download. */
export async function findDistribution<Files>(
  distribution: Distribution<Files>,
  cache: string,
  env: NodeJS.ProcessEnv,
): Promise<Files | undefined> {
  const name = nameDistribution(distribution, await readFile(distribution.pom, 'utf8'), env);
  const folder = join(cache, name.folder);
  return (await exists(folder)) ? distribution.open(folder) : undefined;
}

/**
 * Downloads the distribution with Maven. The complete folder appears atomically. If another process is
 * already downloading, this process waits for as long as the other process keeps updating its folder.
 * @throws EnginesError with the errors in Maven's log
 */
export async function downloadDistribution<Files>(
  distribution: Distribution<Files>,
  download: Download,
): Promise<Files> {
  const { cache, mvn, javaHome, env, onProgress, signal } = download;
  const { pom, title, runs } = distribution;
  const name = nameDistribution(distribution, await readFile(pom, 'utf8'), env);
  const folder = join(cache, name.folder);
  if (await othersDownload(folder, cache, name.folder, title, download)) return distribution.open(folder);

  const { versions } = name;
  onProgress(
    `Downloading ${title} (${Object.values(versions).join(', ')}) with Maven into ${cache} ` +
      `(once, about ${distribution.megabytes.download} MB)`,
  );
  const partial = join(cache, partialName(name.folder));
  const log = `${partial}.log`;
  const beats = setInterval(() => void beat(partial, log), BEAT_EVERY_MS);
  try {
    await mkdir(partial);
    await runMaven({ mvn, javaHome, pom, title, runs, versions, target: partial, log, env, signal });
    await rm(join(partial, 'maven'), { recursive: true, force: true }); // archives and Maven's marker files
    await distribution.open(partial);
    if (download.forOthers) await openToReaders(partial);
    await rename(partial, folder).catch(async (error: unknown) => {
      // Another process finished first, and its folder has the same content.
      if (!(await exists(folder))) throw error;
    });
    await rm(log, { force: true });
  } finally {
    clearInterval(beats);
    await rm(partial, { recursive: true, force: true });
  }
  return distribution.open(folder);
}

/** Returns a temporary name for the folder while a process builds it. */
export function partialName(folder: string): string {
  return `${folder}.${randomBytes(4).toString('hex')}.partial`;
}

/** Deletes what interrupted and failed downloads of any version have left in the cache. */
export async function sweepDownloads(cache: string): Promise<void> {
  for (const entry of await readdir(cache)) {
    const path = join(cache, entry);
    if (/^[a-z]+-.*\.partial(\.log)?$/.test(entry) && (await ageOf(path)) > LEFT_BEHIND_AFTER_MS)
      await rm(path, { recursive: true, force: true });
  }
}

/** Waits while another process downloads. Returns whether the folder exists afterwards. */
async function othersDownload(
  folder: string,
  cache: string,
  name: string,
  title: string,
  { onProgress, signal }: Download,
): Promise<boolean> {
  for (let isReported = false; ; isReported = true) {
    if (await exists(folder)) return true;
    if (!(await isDownloading(cache, name))) return false;
    if (!isReported) onProgress(`Waiting for another process that is downloading ${title}`);
    await delay(500, undefined, signal === undefined ? {} : { signal });
  }
}

/**
 * Returns whether a live process is downloading this distribution. A process id would prove nothing, because
 * it may belong to another container, or the system may have reused it.
 */
async function isDownloading(cache: string, name: string): Promise<boolean> {
  for (const entry of await readdir(cache))
    if (
      entry.startsWith(`${name}.`) &&
      entry.endsWith('.partial') &&
      (await ageOf(join(cache, entry))) < DEAD_AFTER_MS
    )
      return true;
  return false;
}

/** Marks a download as alive. */
async function beat(...paths: readonly string[]): Promise<void> {
  const now = new Date();
  // A path may not exist yet, or may already have been renamed, so a failure is ignored.
  for (const path of paths) await utimes(path, now, now).catch(() => undefined);
}

/** Returns the milliseconds since the last change. The result is infinite if the file is gone. */
async function ageOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
