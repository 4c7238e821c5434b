import type { Log } from '../log.ts';
import { ONE_KEY_PRESS_MS } from '../processes/interruption.ts';
import { onParentGone } from '../processes/parent-watch.mjs';
import { SettingsError } from '../settings.ts';
import { startTracing } from '../tracing/start-tracing.ts';

/** A running service. `stop` releases its resources in order. */
export interface RunningService {
  stop(): Promise<void>;
  /**
   * Resets the connections whose responses are incomplete. Every exit of the process calls this function,
   * because to an HTTP/1.0 client an ordinary close looks like the end of the response.
   */
  breakOff?(): void;
  /** Resolves only if the service cannot continue. The process then exits with a non-zero status. */
  failed: Promise<Error>;
}

const STOP_WITHIN_MS = 20_000;

/**
 * Runs a service as a process. SIGTERM, SIGINT, SIGHUP and the end of the parent npm process stop the service
 * gracefully (exit code 0). A further SIGTERM or SIGINT within `ONE_KEY_PRESS_MS` has no effect, because npm
 * forwards a signal that its process group has received too. The process exits with 1 after a later SIGTERM
 * or SIGINT, after a stop that takes longer than 20 s, and after a fatal error. The environment variables
 * OTEL_* enable tracing.
 */
export async function runService(
  log: Log,
  start: () => Promise<RunningService>,
  stopWithin = STOP_WITHIN_MS,
): Promise<void> {
  let running: RunningService | undefined;
  let stopTracing: (() => Promise<void>) | undefined;
  let stopping = false;
  let firstSignalAt: number | undefined;
  const stop = async (reason: string, exitCode: number) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error(`the service did not stop within ${stopWithin} ms`);
      process.exit(1);
    }, stopWithin).unref();
    await running
      ?.stop()
      .catch((error: unknown) =>
        log.error({ err: error }, 'an error occurred while the service was stopping'),
      );
    await stopTracing?.();
    process.exit(exitCode);
  };
  const hear = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (firstSignalAt !== undefined && now - firstSignalAt > ONE_KEY_PRESS_MS) process.exit(1);
    firstSignalAt ??= now;
    void stop(signal, 0);
  };
  // This handler also runs after a second signal, and when the first of several processes has ended.
  process.once('exit', () => running?.breakOff?.());
  process.on('SIGTERM', hear);
  process.on('SIGINT', hear);
  // A closing terminal sends SIGHUP more than once.
  process.on('SIGHUP', () => void stop('SIGHUP', 0));
  // The supervisor of a dead parent sends SIGTERM. That SIGTERM then counts as the first signal.
  onParentGone(() => void stop('the parent process has ended', 0));
  // After an uncaught error, the state of the process is unknown, so the process must not continue.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    if (stopping) process.exit(1);
    void stop('uncaught exception', 1);
  });
  try {
    stopTracing = await startTracing(String(log.bindings().service), process.env, log);
    running = await start();
  } catch (error) {
    // This message addresses the operator, so it goes to standard error and not to the log.
    if (error instanceof SettingsError) process.stderr.write(`${error.message}\n`);
    else log.fatal({ err: error }, error instanceof Error ? error.message : 'the service could not start');
    process.exit(1);
  }
  const error = await running.failed;
  log.fatal({ err: error }, error.message);
  await stop('failed', 1);
}
