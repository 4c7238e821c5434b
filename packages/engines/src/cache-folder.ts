import { access, chmod, constants, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { named } from './choice.ts';
import { EnginesError } from './engine-control.ts';
import { barrierForOthers } from './unprivileged-user.ts';

/** Where downloads and the folders of running instances live, outside of the clone. */
export function cacheFolder(env: NodeJS.ProcessEnv, isRoot: boolean): string {
  const wanted = named(env, 'VITRINE_CACHE');
  if (wanted !== undefined) return resolve(wanted);
  // Root's home is closed to the user that the engines then run as.
  if (isRoot) return '/var/cache/vitrine';
  return join(named(env, 'XDG_CACHE_HOME') ?? join(named(env, 'HOME') ?? homedir(), '.cache'), 'vitrine');
}

/**
 * Makes the folder and checks that it can be used; with `forOthers` also that another user can get there.
 * @throws EnginesError that names VITRINE_CACHE as the way out
 */
export async function prepareCacheFolder(folder: string, forOthers: boolean): Promise<void> {
  try {
    const created = await mkdir(folder, { recursive: true });
    if (created !== undefined && forOthers) await chmod(folder, 0o755);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new EnginesError(`The cache folder ${folder} cannot be written. Set VITRINE_CACHE to a folder that can.`, { cause });
  }
  const barrier = forOthers ? await barrierForOthers(folder) : undefined;
  if (barrier !== undefined) {
    throw new EnginesError(
      `Elasticsearch refuses to run as root, so it is started as another user, who cannot enter ${barrier}. ` +
        'Set VITRINE_CACHE to a folder that everybody can enter, e.g. /var/cache/vitrine.',
    );
  }
}
