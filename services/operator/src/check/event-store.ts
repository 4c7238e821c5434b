import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LF } from './splitter.ts';

const PARTS = 1024;
/** The store uses the disk only for larger inputs. */
const MEMORY_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 16 * 1024;

/** A part of the stored lines. Each line is in memory or in the file. */
interface Part {
  pending: Buffer;
  used: number;
  /** The pieces in the file, in the order in which they were written. */
  pieces: { at: number; length: number }[];
}

/**
 * Stores lines until the end of the input, so that the lines of a listing can be read together. The memory
 * that the store uses does not depend on the size of the input. A large input goes to a temporary file
 * without a name, which disappears when the process ends.
 */
export class EventStore {
  readonly #memoryBytes: number;
  #parts: Part[] = [newPart()];
  #file: number | undefined;
  #end = 0;
  #lines = 0;

  /** @param memoryBytes the size above which the store uses the disk */
  constructor(memoryBytes = MEMORY_BYTES) {
    this.#memoryBytes = memoryBytes;
  }

  get lines(): number {
    return this.#lines;
  }

  /**
   * Adds a line.
   * @param id the listing's id; the line begins with this id and a tab
   * @throws Error if the temporary file cannot be written
   */
  add(id: string, line: string): void {
    this.#lines++;
    this.#append(this.#parts.length === 1 ? 0 : partOf(id), `${id}\t${line}\n`);
    if (this.#parts.length === 1 && (this.#parts[0]?.used ?? 0) > this.#memoryBytes) this.#spread();
  }

  /**
   * Returns the parts. All lines for a listing are in one part, in the order in which they were added.
   * @throws Error if the temporary file cannot be read
   */
  *parts(): Iterable<Iterable<{ id: string; line: string }>> {
    for (const part of this.#parts) yield this.#linesOf(part);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#parts = [];
  }

  /** Distributes the lines over several parts, because they no longer fit in memory. */
  #spread(): void {
    const [all] = this.#parts;
    this.#parts = Array.from({ length: PARTS }, newPart);
    if (all) for (const { id, line } of this.#linesOf(all)) this.#append(partOf(id), `${id}\t${line}\n`);
  }

  #append(number: number, line: string): void {
    const part = this.#parts[number] as Part;
    // A UTF-16 code unit has at most three bytes in UTF-8.
    const room = line.length * 3;
    if (this.#parts.length > 1 && part.used > 0 && part.used + room > PIECE_BYTES) this.#write(part);
    if (part.used + room > part.pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(PIECE_BYTES, 2 * part.pending.length, part.used + room));
      part.pending.copy(larger, 0, 0, part.used);
      part.pending = larger;
    }
    part.used += part.pending.write(line, part.used);
  }

  #write(part: Part): void {
    try {
      this.#file ??= openUnnamed();
      for (let from = 0; from < part.used; )
        from += writeSync(this.#file, part.pending, from, part.used - from, this.#end + from);
    } catch (error) {
      throw new Error(
        `could not store the events in the temporary folder ${tmpdir()}: ${(error as Error).message}. ` +
          'Set TMPDIR to a folder with more space',
        { cause: error },
      );
    }
    part.pieces.push({ at: this.#end, length: part.used });
    this.#end += part.used;
    part.used = 0;
    if (part.pending.length > PIECE_BYTES) part.pending = Buffer.alloc(0);
  }

  *#linesOf({ pieces, pending, used }: Part): Iterable<{ id: string; line: string }> {
    let read = Buffer.alloc(0);
    for (const { at, length } of pieces) {
      if (read.length < length) read = Buffer.allocUnsafe(Math.max(length, PIECE_BYTES));
      const bytes = read.subarray(0, length);
      for (let from = 0; from < length; ) {
        const count = readSync(this.#file as number, bytes, from, length - from, at + from);
        if (count === 0) throw new Error('the temporary file is incomplete');
        from += count;
      }
      yield* linesIn(bytes);
    }
    yield* linesIn(pending.subarray(0, used));
  }
}

const newPart = (): Part => ({ pending: Buffer.alloc(0), used: 0, pieces: [] });

/** Returns the number of an id's part, from the FNV-1a hash of the id's characters. */
function partOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash >>> 8) % PARTS;
}

const TAB = 0x09;

function* linesIn(bytes: Buffer): Iterable<{ id: string; line: string }> {
  let from = 0;
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, from)) {
    const tab = bytes.indexOf(TAB, from);
    yield { id: bytes.toString('latin1', from, tab), line: bytes.toString('utf8', tab + 1, end) };
    from = end + 1;
  }
}

/** Opens a file and removes its name, so that nothing stays behind even if the process is killed. */
function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-check-'));
  try {
    return openSync(join(folder, 'events'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
