import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

const GROUP_OR_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Caches compiled modules for later commands. Node executes cache entries without checking their content or
 * owner, so the cache is in the user's private folder. If there is no such folder, this function caches
 * nothing.
 */
export function cacheCompiledModules(env: NodeJS.ProcessEnv): void {
  const folder = privateCacheFolder(env, process.getuid?.());
  if (folder !== undefined) enableCompileCache(folder);
}

/**
 * Creates `$XDG_CACHE_HOME/vitrine/compile` (default: `~/.cache/vitrine/compile`) with mode 0700.
 * @param uid the user id of this process; undefined on a system without user ids
 * @returns the folder; undefined if another user could change its content
 */
export function privateCacheFolder(env: NodeJS.ProcessEnv, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined;
  // The XDG specification requires that programs ignore a relative path.
  const configured =
    env.XDG_CACHE_HOME !== undefined && isAbsolute(env.XDG_CACHE_HOME) ? env.XDG_CACHE_HOME : undefined;
  const folder = join(configured ?? join(env.HOME || homedir(), '.cache'), 'vitrine', 'compile');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isPrivate(lstatSync(folder), uid) && parentsAreSafe(folder, uid) ? folder : undefined;
  } catch {
    // The home folder may be read-only, for example in a container.
    return undefined;
  }
}

const isPrivate = (folder: Stats, uid: number): boolean =>
  folder.isDirectory() && folder.uid === uid && (folder.mode & GROUP_OR_OTHERS) === 0;

/**
 * Returns whether no other user can replace a folder on the path. In a sticky folder (`/tmp`), only its owner
 * can replace an entry.
 */
function parentsAreSafe(folder: string, uid: number): boolean {
  for (let path = dirname(realpathSync(folder)); ; path = dirname(path)) {
    const { uid: owner, mode } = lstatSync(path);
    if (owner !== uid && owner !== ROOT) return false;
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
    if (path === dirname(path)) return true;
  }
}
