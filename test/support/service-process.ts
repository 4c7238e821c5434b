import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { keptLines } from './kept-log.ts';

type Script = 'projector' | 'query' | 'ingest' | 'cli' | 'publish-event';

const ROOT = join(import.meta.dirname, '../..');
const LOG_CHARACTERS = 200_000;
const STOP_GRACE_MS = 10_000;
const SCRAPE_WITHIN_MS = 60_000;
/** Owns the services of this process, which is a test or the bench. No service outlives it. */
const supervisor = new ProcessSupervisor();

/** A program in a separate process, like in production. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves to the exit code, or to null after a signal. */
  readonly exited: Promise<number | null>;
  /** The last part of the program's output. */
  log(): string;
  /** Sends the signal and waits for the end. Resolves to the exit code, or to null after a kill. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends the process and its group: SIGTERM, and SIGKILL after 10 s. */
  stop(): Promise<void>;
}

/**
 * Starts a service or the command line with the command of `npm run <script>` and its memory limits, but
 * without npm, which would intercept signals.
 * @param env extends and overrides this process's environment
 * @param root the repository whose code runs
 */
export function startService(
  script: Script,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  root = ROOT,
): ServiceProcess {
  const [, ...command] = npmCommand(script, root);
  return startNode([...command, ...args], env, root);
}

/** Starts `node` with these arguments, in the repository's root. */
export const startNode = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  root = ROOT,
): ServiceProcess => startProgram(process.execPath, args, env, root);

/** Starts a program in the repository's root. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  root = ROOT,
): ServiceProcess {
  const owned = supervisor.spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The group outlives the service, because tests check that the service itself ends its workers.
    keepsGroup: true,
  });
  const { child, pid } = owned;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-LOG_CHARACTERS);
    });
  const exited = owned.exited.then(({ code }) => code);
  return {
    child,
    pid,
    exited,
    log: () => output,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      return exited;
    },
    stop: async () => {
      await owned.stop(STOP_GRACE_MS);
    },
  };
}

/**
 * The last command in one of the root package's npm scripts. It follows the preparation of the clone.
 * @returns the words of the command; the first word is `node`
 * @throws if the script does not exec the runtime of the packages
 */
export function npmCommand(script: string, root = ROOT): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const command = / exec node_modules\/\.bin\/(node .+)$/.exec(scripts[script] ?? '')?.[1];
  if (command === undefined) throw new Error(`npm run ${script} does not exec node_modules/.bin/node`);
  return command.split(' ');
}

/** The addresses of a query service. */
export interface QueryAddresses {
  /** Scheme, host and port of the public interface. */
  origin: string;
  port: number;
  /** Scheme, host and port of health and metrics. */
  admin: string;
}

/** Waits until the query service listens. Its LOG_LEVEL must be `info`, because its log names the ports. */
export async function addressesOf(query: ServiceProcess): Promise<QueryAddresses> {
  const served = /"port":(\d+),.*"adminPort":(\d+),.*the feeds are served/;
  const found = await eventually(
    'the query service listens',
    async () => served.exec(query.log()) ?? undefined,
  ).catch((error: Error) => {
    throw new Error(`${error.message}. The log of the query service:\n${query.log()}`, { cause: error });
  });
  const [port, adminPort] = found.slice(1).map(Number);
  return {
    origin: `http://127.0.0.1:${port}`,
    port: Number(port),
    admin: `http://127.0.0.1:${adminPort}`,
  };
}

/** The sum of a metric on the admin port over its labels, or over the labels that match `labels`. */
export const metricOf = async (admin: string, name: string, labels = ''): Promise<number> =>
  metricIn(await scrape(admin), name, labels);

/** All metrics on the admin port, as Prometheus text. */
export async function scrape(admin: string): Promise<string> {
  const response = await fetch(`${admin}/metrics`, { signal: AbortSignal.timeout(SCRAPE_WITHIN_MS) });
  return response.text();
}

/** The sum of a metric in a scrape, like `metricOf`. */
export function metricIn(text: string, name: string, labels = ''): number {
  return text
    .split('\n')
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Current resident memory of a process, in MB. Linux only. */
export const memoryOf = (pid: number | undefined): number => statusOf(pid, 'VmRSS');

/** Peak resident memory of a process, in MB. Linux only. */
export const peakMemoryOf = (pid: number | undefined): number => statusOf(pid, 'VmHWM');

const statusOf = (pid: number | undefined, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/**
 * Repeats `probe` until it returns a value. Fails with `what` and the kept log lines after `withinMs`.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  withinMs = 120_000,
  everyMs = 100,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline)
      throw new Error(`timed out after ${withinMs} ms while waiting for: ${what}\n${keptLines()}`);
    await sleep(everyMs);
  }
}
