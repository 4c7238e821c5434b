import type { Log } from './log.ts';
import { SettingsError } from './settings.ts';
import { startTracing } from './tracing.ts';

/** What a composition root hands over: it is running; `stop` releases everything, in order. */
export interface RunningService {
  stop(): Promise<void>;
  /** Settles only when the service cannot go on: the process then exits non-zero. */
  failed: Promise<Error>;
}

const STOP_WITHIN_MS = 20_000;

/**
 * Runs a service as a process: SIGTERM or SIGINT stops it in order and exits 0, a second signal or
 * a stop that takes longer than 20 s exits 1 at once, and whatever it cannot survive exits 1. Traces
 * where OTEL_* asks for it.
 */
export async function runService(log: Log, start: () => Promise<RunningService>, stopWithin = STOP_WITHIN_MS): Promise<void> {
  let running: RunningService | undefined;
  let stopTracing: (() => Promise<void>) | undefined;
  let stopping = false;
  const stop = async (reason: string, exitCode: number) => {
    if (stopping) process.exit(exitCode || 1);
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error(`not stopped within ${stopWithin} ms`);
      process.exit(1);
    }, stopWithin).unref();
    await running?.stop().catch((error: unknown) => log.error({ err: error }, 'stopped with an error'));
    await stopTracing?.();
    process.exit(exitCode);
  };
  process.on('SIGTERM', () => void stop('SIGTERM', 0));
  process.on('SIGINT', () => void stop('SIGINT', 0));
  // What nobody caught leaves the process in a state nobody knows: it must not go on.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    void stop('uncaught exception', 1);
  });
  try {
    stopTracing = await startTracing(String(log.bindings().service), process.env, log);
    running = await start();
  } catch (error) {
    // For the person who set them, not for a log.
    if (error instanceof SettingsError) process.stderr.write(`${error.message}\n`);
    else log.fatal({ err: error }, error instanceof Error ? error.message : 'could not start');
    process.exit(1);
  }
  const error = await running.failed;
  log.fatal({ err: error }, error.message);
  await stop('failed', 1);
}
