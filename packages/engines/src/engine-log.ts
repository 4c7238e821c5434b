import { readFile } from 'node:fs/promises';

/**
 * The size of a frame's header in Docker's log. The header's first byte identifies the stream, and its last
 * four bytes contain the size of the output that follows.
 */
const HEADER_BYTES = 8;

/** Reads a log file. Returns an empty string if the file does not exist. */
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

/**
 * Returns the output in a log that has Docker's format. This format puts a header before each piece of
 * output.
 */
export function textOfLog(frames: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + HEADER_BYTES <= frames.length; ) {
    const begin = at + HEADER_BYTES;
    at = begin + frames.readUInt32BE(at + 4);
    pieces.push(frames.subarray(begin, at));
  }
  return Buffer.concat(pieces).toString('utf8');
}
