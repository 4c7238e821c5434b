import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { isRunning, type ProcessIdentity, startTimeOf } from '@vitrine/runtime/processes';

/** A process writes its identity into a new lock within this time, in milliseconds. */
const WRITTEN_WITHIN_MS = 10_000;
const MAX_ATTEMPTS = 10;

/**
 * Creates a file that keeps other processes on this machine away. A lock whose process has ended is replaced.
 * @param what the work that needs the lock, as the subject of the error message
 * @returns the function that removes the lock
 * @throws Error if another process holds the lock; file system errors
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  const own: ProcessIdentity = { pid: process.pid, startTime: startTimeOf(process.pid) };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const file = await open(path, 'wx').catch(unless('EEXIST'));
    if (file) {
      await file.writeFile(JSON.stringify(own)).finally(() => file.close());
      return () => rm(path, { force: true });
    }
    const held = await readFile(path, 'utf8').catch(unless('ENOENT'));
    if (held === undefined) continue;
    const holder = identityIn(held);
    if (holder ? isRunning(holder) : await isYoung(path))
      throw new Error(`${what} is in progress${holder ? ` in process ${holder.pid}` : ''}. Wait for its end`);
    // Another process may have replaced the lock in the meantime.
    const moved = `${path}.${process.pid}`;
    await rename(path, moved).catch(unless('ENOENT'));
    if ((await readFile(moved, 'utf8').catch(unless('ENOENT'))) === held) await rm(moved, { force: true });
    else await rename(moved, path).catch(unless('ENOENT'));
  }
  throw new Error(`could not create ${path}`);
}

const unless =
  (code: string) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== code) throw error;
  };

/** Returns undefined for a lock whose process has not written its identity. */
function identityIn(held: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(held) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

async function isYoung(path: string): Promise<boolean> {
  const found = await stat(path).catch(unless('ENOENT'));
  return found !== undefined && Date.now() - found.mtimeMs < WRITTEN_WITHIN_MS;
}
