import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcessSupervisor } from '@vitrine/runtime/processes';

type Script = 'projector' | 'query' | 'cli';

const ROOT = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<Script, string>;
};
const LOG_CHARACTERS = 20_000;
const STOP_GRACE_MS = 10_000;

/** Owns the subjects, so that no subject outlives the bench. */
const supervisor = new ProcessSupervisor();

/** A Node program that runs as a child process. */
export interface ChildProgram {
  readonly pid: number;
  /** Resolves to the exit code, or to null after a signal. */
  readonly exited: Promise<number | null>;
  /** The last part of the program's output. */
  log(): string;
  /** Sends SIGTERM, and SIGKILL after 10 s. Resolves when the process is gone. */
  stop(): Promise<void>;
}

/**
 * The command of `npm run <script>` with its memory limits, but without npm, which would intercept signals.
 */
export function startScript(
  script: Script,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): ChildProgram {
  const options = / exec node_modules\/\.bin\/node (.+)$/.exec(scripts[script])?.[1];
  if (options === undefined) throw new Error(`npm run ${script} does not exec node_modules/.bin/node`);
  return startNode([...options.split(' '), ...args], env);
}

/** Starts `node` with these arguments. */
export function startNode(args: readonly string[], env: Readonly<Record<string, string>>): ChildProgram {
  const owned = supervisor.spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tail = '';
  for (const stream of [owned.child.stdout, owned.child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString()).slice(-LOG_CHARACTERS);
    });
  }
  return {
    pid: owned.pid,
    exited: owned.exited.then(({ code }) => code),
    log: () => tail,
    stop: async () => {
      await owned.stop(STOP_GRACE_MS);
    },
  };
}
