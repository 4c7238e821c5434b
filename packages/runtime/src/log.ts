import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * DEL, C1, line separators and bidi controls. JSON escapes only the characters below U+0020, and a log can
 * quote a record or another service's response. This text must not control the terminal that shows it.
 */
const STEERING = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Writes the characters as JSON does, so that each line keeps its meaning. */
const withoutSteering = (line: string): string =>
  line.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

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
    hooks: { streamWrite: withoutSteering },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, typeof output === 'number' ? pino.destination({ dest: output, sync: true }) : output);
}

function spanNow(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}
