import { SettingsError } from '../settings.ts';

export type TraceExporter = 'otlp-proto' | 'otlp-json' | 'console';

const EXPORTERS = ['otlp', 'console', 'none'];
const PROTOCOLS = ['http/protobuf', 'http/json'];

/**
 * Creates the exporter that the standard OpenTelemetry variables select. Returns undefined unless
 * `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or `OTEL_TRACES_EXPORTER` is set.
 * Source: OpenTelemetry specification, "Environment Variable Specification".
 * @throws SettingsError
 */
export function traceExporter(env: NodeJS.ProcessEnv): TraceExporter | undefined {
  const value = (name: string) => env[name]?.trim() || undefined;
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? value('OTEL_EXPORTER_OTLP_ENDPOINT');
  const exporter = value('OTEL_TRACES_EXPORTER') ?? (endpoint ? 'otlp' : 'none');
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  const protocol =
    value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? value('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
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
