import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createLog } from '@vitrine/runtime/log';
import { Histories } from '../history/history.ts';
import { Prometheus } from '../history/prometheus.ts';
import type { RunCommand } from './command-runs.ts';
import { type ConsoleOptions, consoleAddress } from './console-options.ts';
import { startConsoleServer } from './console-server.ts';
import { Jobs } from './jobs.ts';
import { Scans } from './scans.ts';
import { type StatusSource, StatusWatch } from './status-watch.ts';

export interface ConsoleEnvironment {
  /** Aborts when the operator interrupts the console. */
  signal: AbortSignal;
  /** Connects to both engines. */
  openStatus(): Promise<StatusSource>;
  runCommand: RunCommand;
  /**
   * The Prometheus server behind the charts of longer ranges. If it is undefined, the charts show the
   * console's own samples.
   */
  prometheusUrl: string | undefined;
  /** Reports that the console accepts requests. */
  onReady(started: StartedConsole): void;
}

export interface StartedConsole {
  /** The URL of the console, with the token in its fragment, which a browser never sends. */
  url: string;
  allowActions: boolean;
  isPublic: boolean;
}

/** The token has 256 bits. */
const TOKEN_BYTES = 32;

/**
 * Runs the console until the signal aborts, and then cancels its job and its scans.
 * @throws ConsoleUsageError if the options are not safe; an Error if the port is in use
 */
export async function runConsole(
  options: ConsoleOptions,
  { signal, openStatus, runCommand, prometheusUrl, onReady }: ConsoleEnvironment,
): Promise<void> {
  const address = consoleAddress(options);
  const { allowActions } = options;
  const token = allowActions ? randomBytes(TOKEN_BYTES).toString('base64url') : undefined;
  // The log contains every action, whatever LOG_LEVEL is.
  const log = createLog('console', 'info', 2);
  const prometheus = prometheusUrl === undefined ? undefined : new Prometheus(prometheusUrl);
  const watch = new StatusWatch(openStatus);
  const scans = new Scans(runCommand);
  const jobs = new Jobs(runCommand);
  try {
    const server = await startConsoleServer({
      address,
      token,
      allowActions,
      watch,
      histories: new Histories(watch.samples, prometheus),
      scans,
      jobs,
      audit: (entry) => log.info(entry, `action ${entry.event}`),
      onError: (error) => log.error({ err: error }, 'a request failed'),
    });
    try {
      onReady({
        url: token === undefined ? `${server.origin}/` : `${server.origin}/#token=${token}`,
        allowActions,
        isPublic: address.isPublic,
      });
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await server.close();
    }
  } finally {
    await Promise.all([jobs.close(), scans.close(), watch.stop()]);
  }
}
