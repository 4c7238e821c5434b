import { type Logger, pino } from 'pino';

export type Log = Logger;

/** A structured log on standard output, one JSON line an event, at `level` and above. */
export function createLog(service: string, level: string): Log {
  return pino({ level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } });
}
