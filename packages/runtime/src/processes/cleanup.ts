import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A process group that the cleanup process ends, or a folder that it deletes after all groups have ended. */
type Owned = { readonly group: number } | { readonly folder: string };

const PROGRAM = fileURLToPath(new URL('./cleanup-process.mjs', import.meta.url));
/**
 * A cleanup process that ends before this time cannot run on this machine, so it is not replaced at once. The
 * next registration starts a new one.
 */
const REPLACED_AFTER_MS = 1_000;

const registered = new Map<string, Owned>();
let cleanup: { readonly child: ChildProcess; readonly stdin: Socket } | undefined;

/** Registers a group or a folder of this process for cleanup after this process has exited for any reason. */
export function register(thing: Owned): void {
  registered.set(JSON.stringify(thing), thing);
  send(thing, true);
}

export function unregister(thing: Owned): void {
  registered.delete(JSON.stringify(thing));
  send(thing, false);
}

/**
 * Starts the cleanup process if there is none. A caller must call this function before it spawns a child.
 * Otherwise, this process could be killed after the child has started, but before the cleanup process knows
 * about the child.
 */
export function ensureCleanupProcess(): void {
  if (cleanup === undefined) startCleanupProcess();
}

/** Ends the cleanup process if nothing is registered. Resolves when the cleanup process is gone. */
export async function releaseCleanupProcess(): Promise<void> {
  if (cleanup === undefined || registered.size > 0) return;
  const { child, stdin } = cleanup;
  cleanup = undefined;
  const gone = once(child, 'exit');
  child.ref();
  stdin.end();
  await gone;
}

function send(thing: Owned, owned: boolean): void {
  if (cleanup !== undefined) cleanup.stdin.write(`${JSON.stringify({ ...thing, owned })}\n`);
  else if (registered.size > 0) startCleanupProcess();
}

/**
 * Starts this process's cleanup process. Only one cleanup process exists at a time. If it is killed, a new
 * one replaces it and receives all registrations.
 */
function startCleanupProcess(): void {
  const { NODE_OPTIONS: _, ...env } = process.env; // this process's --inspect must not apply to the child
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
    if (registered.size > 0 && performance.now() - startedAt > REPLACED_AFTER_MS) startCleanupProcess();
  });
  for (const thing of registered.values()) send(thing, true);
}
