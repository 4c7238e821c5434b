import { DiagLogLevel, diag } from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, hostDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ConsoleSpanExporter, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Log } from './log.ts';
import type { TraceExporter } from './tracing.ts';

const COMPLAIN_EVERY_MS = 60_000;

/**
 * Makes the spans of this process real and sends them off in batches; what else there is to set comes from OTEL_*.
 * @returns a function that sends what is left, and ends it
 */
export async function exportSpans(to: TraceExporter, service: string, log: Log): Promise<() => Promise<void>> {
  complainTo(log);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': `vitrine-${service}`, 'process.pid': process.pid }))
    .merge(detectResources({ detectors: [hostDetector, envDetector] }));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(await exporterFor(to))] });
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

/** A collector that is away is tried every few seconds: a line a minute says enough of it. */
function complainTo(log: Log): void {
  let silentUntil = 0;
  const complain = (reason: string) => {
    if (Date.now() < silentUntil) return;
    silentUntil = Date.now() + COMPLAIN_EVERY_MS;
    log.warn({ reason }, 'tracing is in trouble');
  };
  const ignore = () => undefined;
  diag.setLogger({ error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore }, { logLevel: DiagLogLevel.WARN });
}
