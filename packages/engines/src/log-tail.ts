import { readFile } from 'node:fs/promises';

/** Reads a log file. Returns an empty text if the file does not exist. */
export async function readLog(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the last lines of a log, without stack frames, which would displace the error message. */
export function tailOf(log: string, lines = 15): string {
  return log
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+(at |\.\.\. )/.test(line))
    .slice(-lines)
    .join('\n');
}
