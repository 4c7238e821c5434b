import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessSupervisor } from '@vitrine/runtime/processes';

type Script = 'projector' | 'query' | 'cli';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
/** Owns the services of this test process: none outlives it. */
const supervisor = new ProcessSupervisor();

/** A service in a separate process, like in production. Its log is kept for failures. */
export interface ServiceProcess {
  child: ChildProcess;
  log(): string;
  /** Sends the signal and waits for the end. Resolves to the exit code, or to null after a kill. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves to the exit code when the process ends on its own. */
  exited: Promise<number | null>;
}

export function spawnService(
  service: Script,
  env: Record<string, string>,
  args: readonly string[] = [],
): ServiceProcess {
  // The command of `npm run` with its memory limits, but without npm, which would intercept signals.
  const [, ...command] = npmCommand(service);
  const { child, exited: ended } = supervisor.spawn(process.execPath, [...command, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A service ends its own workers, which tests check.
    keepsGroup: true,
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-200_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exited = ended.then(({ code }) => code);
  return {
    child,
    exited,
    log: () => output,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      return exited;
    },
  };
}

/** Repeats `probe` until it returns a value. Fails with `what` after `withinMs`. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  withinMs = 30_000,
  everyMs = 100,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`timed out after ${withinMs} ms: ${what}`);
    await sleep(everyMs);
  }
}

/** Current resident memory of a process, in MB. Linux only. */
export const memoryOf = (pid: number | undefined): number => statusOf(pid, 'VmRSS');

/** Peak resident memory of a process, in MB. Linux only. */
export const peakMemoryOf = (pid: number | undefined): number => statusOf(pid, 'VmHWM');

const statusOf = (pid: number | undefined, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/**
 * The command that an npm script of the root package ends with, without the preparation of the clone.
 * @returns its words; the first one is `node`
 * @throws if the script does not exec the runtime of the packages
 */
export function npmCommand(script: string): string[] {
  const command = / exec node_modules\/\.bin\/(node .+)$/.exec(scripts[script] ?? '')?.[1];
  if (command === undefined) throw new Error(`npm run ${script} does not exec node_modules/.bin/node`);
  return command.split(' ');
}
