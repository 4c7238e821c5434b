import type { Writable } from 'node:stream';
import { onParentGone } from './parent-watch.mjs';

/** The error for a process that the user or the parent process has ended. It is not a failure. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** The exit code after Ctrl-C, by the convention of shells. */
export const INTERRUPTED_EXIT_CODE = 130;

/** npm forwards the terminal's Ctrl-C, so one key press arrives twice. */
export const ONE_KEY_PRESS_MS = 400;

/**
 * Aborts `ending` with an InterruptedError at the first SIGINT, SIGTERM or SIGHUP, and when the parent (npm)
 * is gone, so that the process can shut down cleanly. After a second Ctrl-C or SIGTERM, the process exits at
 * once with 130, and the cleanup process ends the children.
 */
export function endOnSignals(ending: AbortController): void {
  let firstAt: number | undefined;
  const hear = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      ending.abort(new InterruptedError(signal));
    } else if (performance.now() - firstAt > ONE_KEY_PRESS_MS && signal !== 'SIGHUP') {
      // A closing terminal sends several SIGHUP signals.
      process.exit(INTERRUPTED_EXIT_CODE);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear);
  // The end of the parent does not count as a first signal, because the parent's supervisor sends SIGTERM
  // afterwards.
  onParentGone(() => ending.abort(new InterruptedError('the parent process has ended')));
}

/** The exit code of a process that SIGPIPE has killed: 128 + 13. Source: POSIX shells. */
const BROKEN_PIPE = 141;

/**
 * Ends the process without a message when the reader of an output stream is gone, as in `command | head`.
 * Node ignores SIGPIPE, so the process would otherwise end with a stack trace.
 */
export function exitWithReader(...streams: Writable[]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(BROKEN_PIPE);
    });
}
