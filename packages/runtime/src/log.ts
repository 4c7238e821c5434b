import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * Creates a structured log that writes one JSON line per event at `level` or above to standard output (1),
 * standard error (2) or a stream. A line that is written within a span contains the span's id.
 */
export function createLog(service: string, level: string, output: 1 | 2 | DestinationStream = 1): Log {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: spanNow,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, typeof output === 'number' ? pino.destination({ dest: output, sync: true }) : output);
}

function spanNow(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}
