import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { type OwnedProcess, ProcessSupervisor } from '@vitrine/runtime/processes';
import type { CliEnvironment } from '../environment.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
/** A worker waits for a projector for less than this time after the generation is ready. */
const END_WITHIN_MS = 30_000;
/**
 * An interrupted worker needs about twenty requests in a row to store its position and to end its lease. A busy
 * Elasticsearch delays each of them. The job in a cluster has 60 s (infra/kubernetes/base/commands/replay.yaml).
 */
const STOP_WITHIN_MS = 40_000;
const LONGEST_REPORT = 2_000;

interface Worker extends OwnedProcess {
  /** The last part of the worker's standard error. */
  errors: string;
}

/**
 * Lets the workers use this process's compile cache. A worker that has the cache from its start does not load
 * Node's type stripper, which would take a tenth of the processor time at startup.
 */
function withCompileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  // Node appends a folder for its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * The additional builders of `--workers`: child processes that run `replay join`. They end with this process.
 * If one of them fails, the others continue its work, so a failure is only reported.
 */
export class WorkerProcesses {
  readonly #environment: Pick<CliEnvironment, 'env' | 'stderr' | 'signal'>;
  readonly #program: string;
  readonly #supervisor = new ProcessSupervisor();
  readonly #workers: Worker[] = [];

  /** @param program the script that each worker runs; by default, the command line's */
  constructor(environment: Pick<CliEnvironment, 'env' | 'stderr' | 'signal'>, program = MAIN) {
    this.#environment = environment;
    this.#program = program;
    // Otherwise, the workers would begin to end only after this process's own builder has ended.
    environment.signal.addEventListener('abort', () => void this.stop(), { once: true });
  }

  /** Starts `count` builders that join a generation. After an interruption, starts none. */
  join(generation: number, count: number): void {
    if (this.#environment.signal.aborted) return;
    for (let i = 0; i < count; i++) {
      const owned = this.#supervisor.spawn(
        process.execPath,
        [...process.execArgv, this.#program, 'replay', 'join', String(generation)],
        { env: { ...this.#environment.env, ...withCompileCache() }, stdio: ['ignore', 'ignore', 'pipe'] },
      );
      const worker: Worker = { ...owned, errors: '' };
      owned.child.stderr?.on('data', (chunk: Buffer) => {
        worker.errors = (worker.errors + chunk.toString()).slice(-LONGEST_REPORT);
      });
      void owned.exited.then(({ code, signal }) => {
        if (code !== 0 && !this.#environment.signal.aborted)
          this.#environment.stderr.write(
            `\nworker ${owned.pid} ended with ${signal ?? `exit code ${code}`}; the others continue its work. ` +
              `To add a builder, run replay join ${generation}\n${worker.errors}`,
          );
      });
      this.#workers.push(worker);
    }
  }

  /** Resolves when all workers have ended by themselves, or after half a minute. */
  async ended(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, END_WITHIN_MS);
    await Promise.race([Promise.all(this.#workers.map(({ exited }) => exited)), late.promise]);
    clearTimeout(timer);
  }

  /** Ends the workers that are still running, which frees their work for other builders. */
  async stop(): Promise<void> {
    if (this.#workers.length > 0) await this.#supervisor.end(STOP_WITHIN_MS);
  }
}
