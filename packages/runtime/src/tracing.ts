import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import { SettingsError } from './settings.ts';

export type TraceExporter = 'otlp-proto' | 'otlp-json' | 'console';

const EXPORTERS = ['otlp', 'console', 'none'];
const PROTOCOLS = ['http/protobuf', 'http/json'];
/** Unsent spans are lost after this time, so an absent collector does not delay the exit. */
const LAST_SPANS_WITHIN_MS = 2_000;

/**
 * The exporter that the standard variables select; undefined unless `OTEL_EXPORTER_OTLP_ENDPOINT`,
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or `OTEL_TRACES_EXPORTER` is set.
 * Source: OpenTelemetry specification, "Environment Variable Specification".
 * @throws SettingsError
 */
export function traceExporter(env: NodeJS.ProcessEnv): TraceExporter | undefined {
  const value = (name: string) => env[name]?.trim() || undefined;
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? value('OTEL_EXPORTER_OTLP_ENDPOINT');
  const exporter = value('OTEL_TRACES_EXPORTER') ?? (endpoint ? 'otlp' : 'none');
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? value('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  const problems = [
    ...notAmong('OTEL_TRACES_EXPORTER', exporter, EXPORTERS),
    ...(exporter === 'otlp' ? notAmong('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, PROTOCOLS) : []),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  if (exporter === 'console') return 'console';
  return protocol === 'http/json' ? 'otlp-json' : 'otlp-proto';
}

const notAmong = (name: string, value: string, allowed: readonly string[]): string[] =>
  allowed.includes(value) ? [] : [`${name}=${JSON.stringify(value)} must be one of ${allowed.join(', ')}`];

/**
 * Starts tracing if the environment enables it, and otherwise loads none of its code. Call it before any code that
 * creates spans.
 * @param service the default service name; OTEL_SERVICE_NAME overrides it
 * @returns a function that stops tracing; undefined if tracing is off
 * @throws SettingsError
 */
export async function startTracing(service: string, env: NodeJS.ProcessEnv, log: Log): Promise<(() => Promise<void>) | undefined> {
  const exporter = traceExporter(env);
  if (!exporter) return undefined;
  const { exportSpans } = await import('./span-export.ts');
  const stop = await exportSpans(exporter, service, log);
  log.info({ exporter }, 'tracing');
  return () => Promise.race([stop().catch(() => undefined), sleep(LAST_SPANS_WITHIN_MS)]);
}
