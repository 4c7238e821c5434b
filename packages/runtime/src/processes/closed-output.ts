import type { Writable } from 'node:stream';

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
