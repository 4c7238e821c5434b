import { execFile } from 'node:child_process';
import { chmod, chown, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The numeric ids of the user who runs the engines. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the user who must run the engines. This is "nobody" if this process runs as root, because
 * Elasticsearch refuses root. Otherwise, the result is undefined, which means the user of this process.
 */
export async function engineUser(): Promise<UnixUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const id = async (flag: string): Promise<number> =>
    Number((await run('id', [flag, 'nobody'])).stdout.trim());
  try {
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    // A container image may lack the user name, but a numeric id always works.
    return { uid: 65534, gid: 65534 };
  }
}

/**
 * Finds the deepest element of a path that other users cannot enter. Returns undefined if other users can
 * enter every element.
 */
export async function barrierForOthers(path: string): Promise<string | undefined> {
  for (let step = resolve(path); ; step = dirname(step)) {
    if (((await stat(step)).mode & 0o001) === 0) return step;
    if (step === dirname(step)) return undefined;
  }
}

/** Changes the owner of a folder and its content. */
export async function giveTo(user: UnixUser, folder: string): Promise<void> {
  await chown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true }))
    await chown(join(folder, entry), user.uid, user.gid);
}

/**
 * Makes a folder and its content readable by all users. Also makes them executable by all users if the owner
 * may execute them.
 */
export async function openToReaders(folder: string): Promise<void> {
  for (const path of [
    folder,
    ...(await readdir(folder, { recursive: true })).map((entry) => join(folder, entry)),
  ]) {
    const { mode } = await stat(path);
    await chmod(path, (mode & 0o7777) | ((mode & 0o100) === 0 ? 0o444 : 0o555));
  }
}
