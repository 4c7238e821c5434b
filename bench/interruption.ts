import { InterruptedError } from './time-limit.ts';

/** npm forwards the terminal's Ctrl-C, so one key press can arrive twice. */
const ONE_KEY_PRESS_MS = 400;
const PARENT_POLL_MS = 500;
/** More than an orderly end takes. */
const LAST_RESORT_MS = 60_000;
const INTERRUPTED = 130;

/**
 * Aborts when this process is to end: on SIGINT, SIGTERM, SIGHUP, when its parent is gone, or on an error that
 * nothing caught. A second signal ends the process at once.
 */
export function interruptionOfProcess(): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  const end = (reason: Error) => {
    if (first !== undefined) return;
    first = performance.now();
    controller.abort(reason);
    setTimeout(() => process.exit(INTERRUPTED), LAST_RESORT_MS).unref();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (first !== undefined && performance.now() - first > ONE_KEY_PRESS_MS) process.exit(INTERRUPTED);
      end(new InterruptedError(`interrupted by ${name}`));
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      console.error('# unexpected:', error);
      end(error instanceof Error ? error : new Error(String(error)));
    });
  }
  // The reader of a pipe or the terminal may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const parent = process.ppid;
  if (parent !== 1) {
    setInterval(() => {
      if (process.ppid !== parent) end(new InterruptedError('the parent process is gone'));
    }, PARENT_POLL_MS).unref();
  }
  return controller.signal;
}
