import { cacheFolder, prepareCacheFolder } from '../download/cache-folder.ts';
import { checkDiskSpace } from '../download/disk-space.ts';
import { downloadDistribution, findDistribution, sweepDownloads } from '../download/distribution.ts';
import type { Distribution } from '../download/distributions.ts';
import { EnginesError, NoEnginesError } from '../engine-control.ts';
import type { StartRequest } from '../start-request.ts';
import { sweepInstances } from './instance-folder.ts';
import { findExecutable, findJavas, type Java, pickJava } from './java-home.ts';
import { engineUser, type UnixUser } from './unprivileged-user.ts';

/** The prerequisites on this machine for running a distribution's files as JVMs. */
export interface JavaMachine<Files> {
  readonly distribution: Distribution<Files>;
  readonly cache: string;
  readonly user: UnixUser | undefined;
  readonly java: Java | undefined;
  /** All Java installations on this machine, suitable or not. */
  readonly javas: readonly Java[];
  readonly mvn: string | undefined;
  /** The distribution's files. They are undefined before the download. */
  readonly files: Files | undefined;
}

/** Java and the downloaded files, ready for use. */
export interface ReadyMachine<Files> {
  readonly java: Java;
  readonly files: Files;
}

/** The parts of a start request that a preparation needs. */
export type JavaRequest = Pick<StartRequest, 'env' | 'onProgress' | 'signal'>;

/** Looks for Java, Maven and earlier downloads. */
export async function inspectJavaMachine<Files>(
  distribution: Distribution<Files>,
  env: NodeJS.ProcessEnv,
): Promise<JavaMachine<Files>> {
  const user = await engineUser();
  const cache = cacheFolder(env, user !== undefined);
  const [javas, mvn, files] = await Promise.all([
    findJavas(env, user !== undefined),
    findExecutable('mvn', env),
    findDistribution(distribution, cache, env),
  ]);
  return { distribution, cache, user, java: pickJava(javas), javas, mvn, files };
}

/** Returns a sentence that names the missing prerequisites, or undefined if none are missing. */
export function missingForJava({
  java,
  javas,
  mvn,
  files,
}: Pick<JavaMachine<unknown>, 'java' | 'javas' | 'mvn' | 'files'>): string | undefined {
  const tooOld = javas.map(({ home, version }) => `${home} has version ${version}`).join(', ');
  const noJava =
    java === undefined ? `no Java 21 or newer was found${tooOld === '' ? '' : ` (${tooOld})`}` : undefined;
  // Maven is needed only for the download.
  const noMaven = mvn === undefined && files === undefined ? 'Maven (mvn) is not on the PATH' : undefined;
  const missing = [noJava, noMaven].filter((reason) => reason !== undefined);
  return missing.length === 0 ? undefined : `${missing.join(', and ')}.`;
}

/**
 * Prepares the cache and downloads the distribution if necessary.
 * @throws EnginesError that names the missing software, the full disk, or the reason that Maven gives
 */
export async function prepareJavaMachine<Files>(
  machine: JavaMachine<Files>,
  request: JavaRequest,
): Promise<ReadyMachine<Files>> {
  const { distribution, cache, user, java } = machine;
  const missing = missingForJava(machine);
  if (java === undefined || missing !== undefined)
    throw new NoEnginesError(`This machine cannot run ${distribution.title}: ${missing}`);
  await prepareCacheFolder(cache, user !== undefined);
  await sweepInstances(cache);
  await sweepDownloads(cache);
  await checkDiskSpace(cache, distribution, machine.files !== undefined);
  const files = machine.files ?? (await download(machine, java, request));
  request.signal?.throwIfAborted();
  return { java, files };
}

/** Downloads the distribution in the versions that `env` chooses. @throws EnginesError with Maven's reason */
export async function download<Files>(
  { distribution, cache, user, mvn }: JavaMachine<Files>,
  java: Java,
  { env, onProgress, signal }: JavaRequest,
): Promise<Files> {
  if (mvn === undefined) throw new EnginesError('Maven (mvn) is not on the PATH.');
  return downloadDistribution(distribution, {
    cache,
    mvn,
    javaHome: java.home,
    env,
    forOthers: user !== undefined,
    onProgress,
    signal,
  });
}
