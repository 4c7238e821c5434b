import { DiagLogLevel, diag } from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { Log } from '../log.ts';
import type { TraceExporter } from './trace-exporter.ts';

const COMPLAIN_EVERY_MS = 60_000;

/**
 * Records the spans of this process and exports them in batches. The settings that are not parameters come
 * from the environment variables OTEL_*.
 * @returns a function that exports the remaining spans and stops
 */
export async function exportSpans(
  to: TraceExporter,
  service: string,
  log: Log,
): Promise<() => Promise<void>> {
  complainTo(log);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': `vitrine-${service}`, 'process.pid': process.pid }))
    .merge(detectResources({ detectors: [hostDetector, envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(await exporterFor(to))],
  });
  provider.register();
  return () => provider.shutdown();
}

async function exporterFor(to: TraceExporter): Promise<SpanExporter> {
  if (to === 'console') return new ConsoleSpanExporter();
  const { OTLPTraceExporter } = await (to === 'otlp-json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  return new OTLPTraceExporter();
}

/**
 * Logs at most one line per minute, because the exporter tries to reach a lost collector every few seconds.
 */
function complainTo(log: Log): void {
  let silentUntil = 0;
  const complain = (reason: string) => {
    if (Date.now() < silentUntil) return;
    silentUntil = Date.now() + COMPLAIN_EVERY_MS;
    log.warn({ reason }, 'the trace exporter reported a problem');
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN },
  );
}
