import { readFile } from 'node:fs/promises';

/** The text of a log file; empty if the file does not exist. */
export async function readLog(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
}

/** The last lines of a log without stack frames, which would displace the message. */
export function tailOf(log: string, lines = 15): string {
  return log
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+(at |\.\.\. )/.test(line))
    .slice(-lines)
    .join('\n');
}
