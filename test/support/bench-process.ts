import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './service-process.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A busy machine needs more than a minute to start the engines. */
const PHASE_WITHIN_MS = 240_000;

/** `npm run bench` without npm, with its results in a folder of its own. */
export interface BenchProcess {
  readonly child: ChildProcess;
  /** Resolves to the exit code, or to null after a signal. */
  readonly exited: Promise<number | null>;
  /** Everything that it printed. */
  output(): string;
  /** Resolves when the output contains the text. */
  printed(text: string): Promise<void>;
  /** The ids of its processes that run, itself included. */
  processes(): Promise<number[]>;
  /** Stops the services that it measures, with SIGSTOP. */
  freezeServices(): Promise<void>;
  results(): Promise<Record<string, { status: string; reason?: string; rows: object[] }>>;
  /** Kills everything and deletes the results. */
  destroy(): Promise<void>;
}

/** @param env replaces variables; an empty value removes one */
export async function startBench(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<BenchProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-'));
  // Every process that the bench starts inherits the mark, even one that outlives its parent.
  const mark = `VITRINE_BENCH_RUN=${randomUUID()}`;
  const [markName, markValue] = mark.split('=') as [string, string];
  const merged = Object.fromEntries(
    Object.entries({ ...process.env, ...env, [markName]: markValue }).filter(([, value]) => value !== ''),
  );
  const child = spawn(process.execPath, ['bench/main.ts', ...args, '--items', '3000', '--output', folder], {
    cwd: ROOT,
    env: merged,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const processes = () => processesWith(mark);
  return {
    child,
    exited,
    output: () => text,
    processes,
    printed: async (wanted) => {
      const found = async () => text.includes(wanted) || child.exitCode !== null;
      await eventually(wanted, found, PHASE_WITHIN_MS, 20).catch((error: Error) => {
        throw new Error(`${error.message}\n${text}`);
      });
      if (!text.includes(wanted)) throw new Error(`the bench ended without "${wanted}":\n${text}`);
    },
    freezeServices: async () => {
      for (const pid of await processes()) {
        const command = await readFile(`/proc/${pid}/cmdline`, 'latin1');
        if (command.includes('services/')) process.kill(pid, 'SIGSTOP');
      }
    },
    results: async () => JSON.parse(await readFile(join(folder, 'results.json'), 'utf8').catch(() => '{}')),
    destroy: async () => {
      for (const pid of await processes()) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function processesWith(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    pids.map(async (pid) =>
      (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).split('\0').includes(mark),
    ),
  );
  return pids.filter((_, i) => marked[i]).map(Number);
}
