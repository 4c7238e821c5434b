import { access, chmod, constants, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { named } from '../choice.ts';
import { EnginesError } from '../engine-control.ts';
import { barrierForOthers } from '../jvm/unprivileged-user.ts';

/** Returns the folder for downloads and running instances. It is outside the repository. */
export function cacheFolder(env: NodeJS.ProcessEnv, isRoot: boolean): string {
  const wanted = named(env, 'VITRINE_CACHE');
  if (wanted !== undefined) return resolve(wanted);
  // The user who runs the engines cannot enter root's home folder.
  if (isRoot) return '/var/cache/vitrine';
  return join(named(env, 'XDG_CACHE_HOME') ?? join(named(env, 'HOME') ?? homedir(), '.cache'), 'vitrine');
}

/**
 * Creates the folder and checks that it is usable. With `forOthers`, also checks that another user can enter
 * it.
 * @throws EnginesError that suggests VITRINE_CACHE
 */
export async function prepareCacheFolder(folder: string, forOthers: boolean): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true });
    // The umask may deny other users access to the new folders.
    if (first !== undefined && forOthers)
      for (const path of foldersBetween(first, folder)) await chmod(path, 0o755);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new EnginesError(
      `The cache folder ${folder} is not writable. Set VITRINE_CACHE to a writable folder.`,
      { cause },
    );
  }
  const barrier = forOthers ? await barrierForOthers(folder) : undefined;
  if (barrier !== undefined) {
    throw new EnginesError(
      `Elasticsearch refuses to run as root, so another user runs it. That user cannot enter ${barrier}. ` +
        'Set VITRINE_CACHE to a folder that every user can enter, e.g. /var/cache/vitrine.',
    );
  }
}

/** Returns the paths from a folder to one of its descendants, inclusive. */
function foldersBetween(first: string, last: string): string[] {
  return first === last ? [last] : [...foldersBetween(first, dirname(last)), last];
}
