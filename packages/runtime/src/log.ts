import { type Logger, pino } from 'pino';

export type Log = Logger;

/** A structured log, one JSON line an event, at `level` and above; on standard output (1), or standard error (2). */
export function createLog(service: string, level: string, descriptor: 1 | 2 = 1): Log {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, pino.destination({ dest: descriptor, sync: true }));
}
