/**
 * Runs the engines of one instance and ends with its parent. It is a separate process in its own session, so neither
 * Ctrl-C nor a SIGKILL of its parent reaches it. It cleans up when the channel to its parent closes.
 * Usage: node keeper.ts <folder of the instance>
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeeperMessage, KeeperRequest, Launch } from './keeper-protocol.ts';
import { signal } from './process-table.ts';

const END_GRACE_MS = 5_000;
const AFTER_KILL_MS = 3_000;

const folder = process.argv[2];
if (folder === undefined) throw new Error('call: node keeper.ts <folder>');
mkdirSync(folder, { mode: 0o755 });

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
}
const running = new Map<number, Running>();
let ending: Promise<void> | undefined;

function tell(message: KeeperMessage): void {
  if (process.connected) process.send?.(message, () => {}); // not an error: the parent may be gone
}

function start({ command, args, env, cwd, log, user }: Launch): Promise<number> {
  if (ending !== undefined) throw new Error('the engines are being stopped');
  const output = openSync(log, 'a');
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', output, output], ...user });
  closeSync(output);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    const pid = child.pid;
    if (pid === undefined) return;
    const exited = new Promise<void>((gone) => {
      child.once('exit', (code, name) => {
        signal(-pid, 'SIGKILL'); // the remaining processes of the group
        running.delete(pid);
        tell({ tell: 'exited', pid, how: name === null ? `exit code ${code}` : `signal ${name}` });
        gone();
      });
    });
    running.set(pid, { child, exited });
    resolve(pid);
  });
}

async function stop(pid: number, graceMs: number): Promise<void> {
  const engine = running.get(pid);
  if (engine === undefined) return;
  if (graceMs > 0) {
    signal(-pid, 'SIGTERM');
    signal(-pid, 'SIGCONT'); // a frozen engine would not receive SIGTERM
    await Promise.race([engine.exited, delay(graceMs, undefined, { ref: false })]);
  }
  signal(-pid, 'SIGKILL');
  await engine.exited;
  for (let waits = 0; waits < AFTER_KILL_MS / 20 && signal(-pid, 0); waits += 1) await delay(20);
}

function end(): Promise<void> {
  ending ??= (async () => {
    await Promise.all([...running.keys()].map((pid) => stop(pid, END_GRACE_MS)));
    try {
      rmSync(folder as string, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    } finally {
      process.exit(); // the next start deletes the rest of the folder
    }
  })();
  return ending;
}

async function answer(request: KeeperRequest): Promise<void> {
  if (request.ask === 'end') return end();
  try {
    if (request.ask === 'start') tell({ tell: 'answer', id: request.id, pid: await start(request.launch) });
    else {
      await stop(request.pid, request.graceMs);
      tell({ tell: 'answer', id: request.id });
    }
  } catch (error) {
    tell({ tell: 'answer', id: request.id, error: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', (request: KeeperRequest) => void answer(request));
process.on('disconnect', () => void end());
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void end());
process.stderr.on('error', () => {}); // the parent was its reader
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`);
  void end();
});

tell({ tell: 'ready' });
