import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
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
let cleanup: { readonly child: ChildProcess; readonly stdin: Socket } | undefined;

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
 * Starts the cleanup process if there is none. A caller does this before it spawns a child. Otherwise this
 * process could be killed after the child has begun, but before anything knows of the child.
 */
export function ensureCleanupProcess(): void {
  if (cleanup === undefined) startCleanupProcess();
}

/**
 * Ends the cleanup process if no groups and no folders are registered. Resolves when the cleanup process is
 * gone.
 */
export async function releaseCleanupProcess(): Promise<void> {
  if (cleanup === undefined || groups.size + folders.size > 0) return;
  const { child, stdin } = cleanup;
  cleanup = undefined;
  const gone = once(child, 'exit');
  child.ref();
  stdin.end();
  await gone;
}

function send(message: Message): void {
  if (cleanup !== undefined) cleanup.stdin.write(`${JSON.stringify(message)}\n`);
  else if (groups.size + folders.size > 0) startCleanupProcess();
}

/**
 * Starts this process's cleanup process. There is one at a time: if it is killed, a new one replaces it and
 * receives all registrations.
 */
function startCleanupProcess(): void {
  const { NODE_OPTIONS: _, ...env } = process.env; // the --inspect of this process must not apply to it
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: '/',
    detached: true,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const stdin = child.stdin as Socket;
  stdin.on('error', () => {}); // the cleanup process is gone, which `exit` reports
  stdin.unref();
  child.unref();
  cleanup = { child, stdin };
  const startedAt = performance.now();
  child.once('error', () => {
    if (cleanup?.child === child) cleanup = undefined;
  });
  child.once('exit', () => {
    if (cleanup?.child !== child) return;
    cleanup = undefined;
    if (groups.size + folders.size > 0 && performance.now() - startedAt > REPLACED_AFTER_MS)
      startCleanupProcess();
  });
  for (const group of groups) send({ group, owned: true });
  for (const folder of folders) send({ folder, owned: true });
}
