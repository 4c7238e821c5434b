const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Formats a line of a service's output for the screen. Returns undefined for a log line below `level`. Output
 * that is not a log line stays unchanged.
 */
export function forScreen(service: string, line: string, level: string): string | undefined {
  const entry = parse(line);
  if (entry === undefined) return line.trim() === '' ? undefined : `${service}: ${line}`;
  if (LEVELS.indexOf(entry.level) < LEVELS.indexOf(level)) return undefined;
  const details = [entry.err?.message, entry.reason, entry.kafka?.error].filter(
    (detail) => detail !== undefined && detail !== entry.msg,
  );
  return `${service} ${entry.level}: ${[entry.msg, ...details].join(': ').replace(/\s+/g, ' ')}`;
}

interface LogEntry {
  level: string;
  msg: string;
  reason?: string;
  err?: { message?: string };
  kafka?: { error?: string };
}

function parse(line: string): LogEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'level' in entry && 'msg' in entry
      ? (entry as LogEntry)
      : undefined;
  } catch {
    return undefined;
  }
}
