import { fstat, type Stats, stat } from 'node:fs';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

interface Files {
  /** A path, or the stream that carries the source. */
  source: string | Readable;
  report?: string | undefined;
  emit?: string | undefined;
}

/**
 * @throws Error if one of the files that a command writes is the command's source or the other output file
 */
export async function assertDistinctFiles({ source, report, emit }: Files): Promise<void> {
  const read = typeof source === 'string' ? await found(source) : await openFile(source);
  const [reported, emitted] = [await found(report), await found(emit)];
  if (isSame(read, reported)) throw new Error(`the report cannot replace the source ${report}`);
  if (isSame(read, emitted)) throw new Error(`the corrections cannot replace the source ${emit}`);
  if ((report !== undefined && report === emit) || isSame(reported, emitted))
    throw new Error(`the report and the corrections cannot both be ${report}`);
}

const isSame = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && other?.isFile() === true && one.dev === other.dev && one.ino === other.ino;

/** A file that does not exist cannot be the same as another one. */
const found = (path: string | undefined): Promise<Stats | undefined> =>
  path === undefined ? Promise.resolve(undefined) : promisify(stat)(path).catch(() => undefined);

async function openFile(stream: Readable): Promise<Stats | undefined> {
  const { fd } = stream as { fd?: unknown };
  return typeof fd === 'number' ? promisify(fstat)(fd) : undefined;
}
