import { endOnSignals, INTERRUPTED_EXIT_CODE } from '@vitrine/runtime/processes';

/** An orderly end of the bench takes less time than this. */
const LAST_RESORT_MS = 60_000;

/**
 * Returns an AbortSignal that aborts when the bench must end: after SIGINT or SIGTERM, when the parent
 * process is gone, or after an uncaught error. If the end takes longer than a minute, the process exits, and
 * the cleanup process ends the children.
 */
export function interruptionOfProcess(): AbortSignal {
  const ending = new AbortController();
  endOnSignals(ending);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      console.error('# unexpected:', error);
      ending.abort(error instanceof Error ? error : new Error(String(error)));
    });
  }
  // The terminal or the reader of the output may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  ending.signal.addEventListener('abort', () =>
    setTimeout(() => process.exit(INTERRUPTED_EXIT_CODE), LAST_RESORT_MS).unref(),
  );
  return ending.signal;
}
