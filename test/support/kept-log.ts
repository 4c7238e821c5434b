import { createLog, type Log } from '@vitrine/runtime/log';

const KEPT_LINES = 30;
const lines: string[] = [];

/**
 * Creates the log of a service that runs in the test's process. The last lines of all logs are kept, and a
 * wait that times out prints these lines. TEST_LOG=info also writes every line to standard output.
 */
export function keptLog(service: string): Log {
  const level = process.env.TEST_LOG ?? 'silent';
  return createLog(service, level === 'silent' ? 'info' : level, {
    write: (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      if (level !== 'silent') process.stdout.write(line);
    },
  });
}

/**
 * Logs the error with which a service ends. In the test's process, no supervisor starts the service again.
 */
export function keepEnd(log: Log, failed: Promise<Error>): void {
  void failed.then((err) => log.fatal({ err }, `the service ended: ${err.message}`));
}

/** The kept lines of all services, oldest first. */
export const keptLines = (): string => lines.join('');
