import { execFile } from 'node:child_process';
import { chmod, chown, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Numeric ids of the user that the engines run as. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/** Who shall run the engines: "nobody" when we are root (Elasticsearch refuses root), else undefined, which is ourselves. */
export async function engineUser(): Promise<UnixUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, 'nobody'])).stdout.trim());
  try {
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    // A container image may lack the name, but any number can own a process.
    return { uid: 65534, gid: 65534 };
  }
}

/** The first folder on the way to a path (or the path itself) that other users may not enter; undefined if they can get there. */
export async function barrierForOthers(path: string): Promise<string | undefined> {
  for (let step = resolve(path); ; step = dirname(step)) {
    if (((await stat(step)).mode & 0o001) === 0) return step;
    if (step === dirname(step)) return undefined;
  }
}

/** Gives a folder with all that is in it to a user. */
export async function giveTo(user: UnixUser, folder: string): Promise<void> {
  await chown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true })) await chown(join(folder, entry), user.uid, user.gid);
}

/** Lets everybody read a folder with all that is in it; what its owner may execute, everybody may. */
export async function openToReaders(folder: string): Promise<void> {
  for (const path of [folder, ...(await readdir(folder, { recursive: true })).map((entry) => join(folder, entry))]) {
    const { mode } = await stat(path);
    await chmod(path, (mode & 0o7777) | ((mode & 0o100) === 0 ? 0o444 : 0o555));
  }
}
