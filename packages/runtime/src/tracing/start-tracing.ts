import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { traceExporter } from './trace-exporter.ts';

/** How long an exiting process waits while it sends its last spans. The collector may be unreachable. */
const LAST_SPANS_WITHIN_MS = 2_000;

/**
 * Starts tracing if the environment enables it. Otherwise, loads no tracing code. The caller must call this
 * function before any code that creates spans.
 * @param service the default service name; OTEL_SERVICE_NAME overrides it
 * @returns a function that stops tracing; undefined if tracing is off
 * @throws SettingsError
 */
export async function startTracing(
  service: string,
  env: NodeJS.ProcessEnv,
  log: Log,
): Promise<(() => Promise<void>) | undefined> {
  const exporter = traceExporter(env);
  if (!exporter) return undefined;
  const { exportSpans } = await import('./span-export.ts');
  const stop = await exportSpans(exporter, service, log);
  log.info({ exporter }, 'tracing');
  return () => Promise.race([stop().catch(() => undefined), sleep(LAST_SPANS_WITHIN_MS)]);
}
