import { readFile } from 'node:fs/promises';

/** The text of a log file; empty if there is none. */
export async function readLog(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
}

/** The last lines of a log, stack frames left out since they push the message itself away. */
export function tailOf(log: string, lines = 15): string {
  return log
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+(at |\.\.\. )/.test(line))
    .slice(-lines)
    .join('\n');
}
