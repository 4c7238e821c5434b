import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProcessSupervisor } from '@vitrine/runtime/processes';
import { assertFree, consolePorts } from './ports.ts';
import { forScreen } from './service-log.ts';
import type { DemoSettings } from './settings.ts';

export interface ConsoleLaunch {
  env: NodeJS.ProcessEnv;
  port: number;
  /** The screen shows the console's log lines from this level on. */
  logLevel: string;
  show(line: string): void;
}

/**
 * Returns whether the console can start. Another program may use the default port, and `npm start` then runs
 * without the console.
 */
export const canStartConsole = (settings: DemoSettings): Promise<boolean> =>
  assertFree(consolePorts(settings)).then(
    () => true,
    () => false,
  );

/** Starts the console, which only reads. Its end does not end the demo. */
export function startConsoleChild(
  supervisor: ProcessSupervisor,
  { env, port, logLevel, show }: ConsoleLaunch,
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
