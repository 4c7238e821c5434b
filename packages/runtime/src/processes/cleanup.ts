import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Message =
  | { readonly group: number; readonly owned: boolean }
  | { readonly folder: string; readonly owned: boolean };

const PROGRAM = fileURLToPath(new URL('./cleanup-process.mjs', import.meta.url));
/**
 * If a cleanup process ends earlier than this, it cannot run on this machine, so it is not replaced until the
 * next registration.
 */
const REPLACED_AFTER_MS = 1_000;

const groups = new Set<number>();
const folders = new Set<string>();
let cleanup: ChildProcess | undefined;

/**
 * Registers a process group of this process, or removes it. The cleanup process ends registered groups after
 * this process.
 */
export function registerGroup(group: number, owned: boolean): void {
  if (owned) groups.add(group);
  else groups.delete(group);
  send({ group, owned });
}

/**
 * Registers a folder of this process, or removes it. The cleanup process deletes registered folders after the
 * groups.
 */
export function registerFolder(folder: string, owned: boolean): void {
  if (owned) folders.add(folder);
  else folders.delete(folder);
  send({ folder, owned });
}

/** Ends the cleanup process if nothing is registered, and resolves when it is gone. */
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
    // if it has just ended, its successor receives everything
  } else if (cleanup.connected) cleanup.send(message, () => {});
}

/** One cleanup process serves the whole main process. If it is killed, another takes its place. */
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
