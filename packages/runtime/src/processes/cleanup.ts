import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Message =
  | { readonly group: number; readonly owned: boolean }
  | { readonly folder: string; readonly owned: boolean };

const PROGRAM = fileURLToPath(new URL('./cleanup-process.mjs', import.meta.url));
/**
 * A cleanup process that ends earlier than this cannot run on this machine. The next registration then starts
 * a new cleanup process.
 */
const REPLACED_AFTER_MS = 1_000;

const groups = new Set<number>();
const folders = new Set<string>();
let cleanup: ChildProcess | undefined;

/**
 * Registers or removes a process group of this process. When this process exits, the cleanup process kills
 * all registered groups.
 */
export function registerGroup(group: number, owned: boolean): void {
  if (owned) groups.add(group);
  else groups.delete(group);
  send({ group, owned });
}

/**
 * Registers or removes a folder of this process. After it has ended the groups, the cleanup process deletes
 * all registered folders.
 */
export function registerFolder(folder: string, owned: boolean): void {
  if (owned) folders.add(folder);
  else folders.delete(folder);
  send({ folder, owned });
}

/**
 * Ends the cleanup process if no groups and no folders are registered. Resolves when the cleanup process is
 * gone.
 */
export async function releaseCleanupProcess(): Promise<void> {
  if (cleanup === undefined || groups.size + folders.size > 0) return;
  const child = cleanup;
  cleanup = undefined;
  const gone = once(child, 'exit');
  child.ref();
  child.disconnect();
  await gone;
}

function send(message: Message): void {
  if (cleanup === undefined) {
    if (groups.size + folders.size > 0) startCleanupProcess();
  } else if (cleanup.connected) cleanup.send(message, () => {});
  // A cleanup process that has just exited needs no message: its replacement receives all registrations.
}

/**
 * Starts this process's cleanup process. There is one at a time: if it is killed, a new one replaces it.
 */
function startCleanupProcess(): void {
  const { NODE_OPTIONS: _, ...env } = process.env; // the --inspect of this process must not apply to it
  const child = fork(PROGRAM, {
    cwd: '/',
    detached: true,
    env,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  cleanup = child;
  const startedAt = performance.now();
  child.once('error', () => {
    if (cleanup === child) cleanup = undefined;
  });
  child.once('exit', () => {
    if (cleanup !== child) return;
    cleanup = undefined;
    if (groups.size + folders.size > 0 && performance.now() - startedAt > REPLACED_AFTER_MS)
      startCleanupProcess();
  });
  child.unref();
  child.channel?.unref();
  for (const group of groups) send({ group, owned: true });
  for (const folder of folders) send({ folder, owned: true });
}
