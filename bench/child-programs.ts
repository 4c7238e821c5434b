import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

type Script = 'projector' | 'query' | 'cli';

const ROOT = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<Script, string> };
const LOG_CHARACTERS = 20_000;
const STOP_GRACE_MS = 10_000;

/** A Node program that runs as a child process. */
export interface ChildProgram {
  readonly pid: number;
  /** Resolves to the exit code, or to null after a signal. */
  readonly exited: Promise<number | null>;
  /** The end of its output. */
  log(): string;
  /** SIGTERM, and SIGKILL after 10 s. Resolves when the process is gone. */
  stop(): Promise<void>;
}

const running = new Set<number>();
process.on('exit', () => {
  for (const pid of running) killGroup(pid, 'SIGKILL');
});

/** The command of `npm run <script>` with its memory limits, but without npm, which would intercept signals. */
export function startScript(script: Script, env: Readonly<Record<string, string>>, args: readonly string[] = []): ChildProgram {
  const options = / exec node_modules\/\.bin\/node (.+)$/.exec(scripts[script])?.[1];
  if (options === undefined) throw new Error(`npm run ${script} does not exec node_modules/.bin/node`);
  return startNode([...options.split(' '), ...args], env);
}

/** Starts `node` with these arguments. The process ends with the bench, however the bench ends. */
export function startNode(args: readonly string[], env: Readonly<Record<string, string>>): ChildProgram {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('./end-with-bench.ts'), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A process group of its own: the bench alone receives Ctrl-C and stops its children in order.
    detached: true,
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${process.execPath} cannot be started`);
  running.add(pid);
  const exited = once(child, 'exit').then(([code]) => {
    running.delete(pid);
    return code as number | null;
  });
  return { pid, exited, log: tailOf(child), stop: () => stop(pid, exited) };
}

function tailOf({ stdout, stderr }: ChildProcess): () => string {
  let tail = '';
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString()).slice(-LOG_CHARACTERS);
    });
  }
  return () => tail;
}

async function stop(pid: number, exited: Promise<unknown>): Promise<void> {
  if (!running.has(pid)) return;
  killGroup(pid, 'SIGTERM');
  // A stopped process would not receive SIGTERM.
  killGroup(pid, 'SIGCONT');
  await Promise.race([exited, delay(STOP_GRACE_MS, undefined, { ref: false })]);
  if (running.has(pid)) killGroup(pid, 'SIGKILL');
  await exited;
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
