import { createReadStream, fstatSync, openSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';

/** An open file or the standard input. */
export interface OpenInput {
  chunks: AsyncIterable<Uint8Array>;
  file: number;
  /** The size of the input in bytes, or 0 if the size is unknown. */
  size: number;
}

const STANDARD_INPUT_FD = 0;
const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a file, or the standard input if the name is `-`. The stream closes the file at its end, after an
 * error and when the signal aborts.
 * @throws Error if the file cannot be read
 */
export function openInput(name: string, stdin: Readable | undefined, signal: AbortSignal): OpenInput {
  const isStandard = name === '-';
  if (isStandard && !stdin) throw new Error('this command has no standard input');
  const file = isStandard ? STANDARD_INPUT_FD : openFile(name);
  const stream: Readable =
    stdin && isStandard ? stdin : createReadStream('', { fd: file, highWaterMark: CHUNK_BYTES });
  const stats = fstatSync(file);
  return { chunks: addAbortSignal(signal, stream), file, size: stats.isFile() ? stats.size : 0 };
}

function openFile(name: string): number {
  try {
    const file = openSync(name, 'r');
    if (fstatSync(file).isDirectory()) throw new Error('it is a folder');
    return file;
  } catch (error) {
    throw new Error(`could not read ${name}: ${(error as Error).message}`, { cause: error });
  }
}
