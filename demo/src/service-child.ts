import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProcessSupervisor } from '@vitrine/runtime/processes';
import { assertFree, consolePorts } from './ports.ts';
import { forScreen } from './service-log.ts';
import type { DemoSettings } from './settings.ts';

/**
 * The error for a service that ended although the demo did not stop it. The message contains the last lines
 * of its log that are not on the screen yet.
 */
export class ServiceDiedError extends Error {
  override readonly name = 'ServiceDiedError';
}

/** A service in a separate process. */
export interface ServiceChild {
  /** Settles only if the service ends before `stop`. */
  readonly died: Promise<ServiceDiedError>;
  /** Sends SIGTERM, and SIGKILL after 15 s. Resolves when the process is gone. */
  stop(): Promise<void>;
}

/** The services that the demo runs. */
export type ServiceName = 'projector' | 'query' | 'ingest';

export interface Launch {
  env: NodeJS.ProcessEnv;
  /** The screen shows the program's log lines of this level or higher. */
  logLevel: string;
  show(line: string): void;
}

const STOP_WITHIN_MS = 15_000;
const LAST_LINES = 12;

/** Starts a service under the supervisor. */
export function startServiceChild(
  supervisor: ProcessSupervisor,
  { name, env, logLevel, show }: Launch & { name: ServiceName },
): ServiceChild {
  const main = fileURLToPath(import.meta.resolve(`../../services/${name}/src/main.ts`));
  const { child, stop } = supervisor.spawn(
    process.execPath,
    ['--disable-warning=TimeoutNegativeWarning', main],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const hidden: string[] = [];
  const hear = (line: string) => {
    const shown = forScreen(name, line, logLevel);
    if (shown !== undefined) return show(shown);
    hidden.push(forScreen(name, line, 'trace') ?? '');
    if (hidden.length > LAST_LINES) hidden.shift();
  };
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface(stream).on('line', hear);

  let stopping = false;
  // The code does not wait for `exit`, because the last lines may arrive after that event.
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const died = Promise.withResolvers<ServiceDiedError>();
  closed.then(
    ([code, signal]) =>
      stopping || died.resolve(new ServiceDiedError(epitaph(name, signal ?? `exit code ${code}`, hidden))),
    (error: unknown) => died.resolve(new ServiceDiedError(epitaph(name, String(error), hidden))),
  );
  return {
    died: died.promise,
    stop: async () => {
      stopping = true;
      await stop(STOP_WITHIN_MS);
      await closed.catch(() => undefined);
    },
  };
}

function epitaph(name: string, how: string, hidden: readonly string[]): string {
  const lines = hidden.filter((line) => line !== '').map((line) => `\n  ${line}`);
  const log = lines.length > 0 ? ` The last lines of its log:${lines.join('')}` : ' Its log is above.';
  return `The ${name === 'query' ? 'query service' : name} ended unexpectedly (${how}).${log}`;
}

/**
 * Returns whether the console can start. If another program uses the default port, `npm start` runs without
 * the console.
 */
export const canStartConsole = (settings: DemoSettings): Promise<boolean> =>
  assertFree(consolePorts(settings)).then(
    () => true,
    () => false,
  );

/** Starts the console, which only reads. If it ends, the demo continues. */
export function startConsoleChild(
  supervisor: ProcessSupervisor,
  { env, port, logLevel, show }: Launch & { port: number },
): void {
  const main = fileURLToPath(import.meta.resolve('../../services/operator/src/cli/main.ts'));
  const { child, exited } = supervisor.spawn(
    process.execPath,
    ['--disable-warning=TimeoutNegativeWarning', main, 'console', '--port', String(port)],
    { env: { ...env, LOG_LEVEL: logLevel }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  if (child.stderr)
    createInterface(child.stderr).on('line', (line) => {
      const shown = forScreen('console', line, logLevel);
      if (shown !== undefined) show(shown);
    });
  void exited.then(({ code }) => {
    if (code === 1) show('The console has ended. The other services continue.');
  });
}
