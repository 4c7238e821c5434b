import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { forScreen } from './service-log.ts';

/** A service ended though nobody had asked it to; the message holds its last words. */
export class ServiceDiedError extends Error {
  override readonly name = 'ServiceDiedError';
}

/** A service as a process of its own. */
export interface ServiceChild {
  /** Settles only when the service ends by itself. */
  readonly died: Promise<ServiceDiedError>;
  /** SIGTERM, and SIGKILL if that takes too long; resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface ServiceLaunch {
  name: 'projector' | 'query';
  env: NodeJS.ProcessEnv;
  /** From which level on its log lines are shown. */
  logLevel: string;
  show(line: string): void;
}

const STOP_WITHIN_MS = 15_000;
const LAST_LINES = 12;

/** Starts a service that ends with this process, in whatever way that ends. */
export function startService({ name, env, logLevel, show }: ServiceLaunch): ServiceChild {
  const main = fileURLToPath(import.meta.resolve(`../../services/${name}/src/main.ts`));
  const child = spawn(
    process.execPath,
    ['--disable-warning=TimeoutNegativeWarning', '--import', import.meta.resolve('./end-with-parent.ts'), main],
    // A process group of its own: Ctrl-C is for us alone, so that we can stop everything in order.
    { env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  const last: string[] = [];
  const hear = (line: string) => {
    last.push(forScreen(name, line, 'trace') ?? '');
    if (last.length > LAST_LINES) last.shift();
    const shown = forScreen(name, line, logLevel);
    if (shown !== undefined) show(shown);
  };
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface(stream).on('line', hear);

  let stopping = false;
  // Not `exit`: only then have its last lines been read.
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const died = Promise.withResolvers<ServiceDiedError>();
  closed.then(
    ([code, signal]) => stopping || died.resolve(new ServiceDiedError(epitaph(name, signal ?? `exit code ${code}`, last))),
    (error: unknown) => died.resolve(new ServiceDiedError(epitaph(name, String(error), last))),
  );
  return {
    died: died.promise,
    stop: async () => {
      stopping = true;
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await closed.catch(() => undefined);
      clearTimeout(impatience);
    },
  };
}

function epitaph(name: string, how: string, last: readonly string[]): string {
  const words = last.filter((line) => line !== '').map((line) => `\n  ${line}`);
  return `The ${name === 'query' ? 'query service' : name} ended by itself (${how}).${words.length > 0 ? ` The end of its log:${words.join('')}` : ''}`;
}
