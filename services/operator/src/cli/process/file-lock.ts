import { open, readFile, rm } from 'node:fs/promises';
import { isRunning, type ProcessIdentity, startTimeOf } from '@vitrine/runtime/processes';

/**
 * Creates a file that keeps other processes on this machine away. A lock whose process has ended is replaced.
 * @param what the work that needs the lock, as the subject of the error message
 * @returns the function that removes the lock
 * @throws Error if another process holds the lock; file system errors
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  for (;;) {
    const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (file) {
      const own: ProcessIdentity = { pid: process.pid, startTime: startTimeOf(process.pid) };
      await file.writeFile(JSON.stringify(own)).finally(() => file.close());
      return () => rm(path, { force: true });
    }
    const holder = await readHolder(path);
    if (holder && isRunning(holder))
      throw new Error(`${what} is in progress in process ${holder.pid}. Wait for its end, or stop it`);
    await rm(path, { force: true });
  }
}

/** Returns undefined for a lock that a killed process left incomplete, or that was removed meanwhile. */
async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
