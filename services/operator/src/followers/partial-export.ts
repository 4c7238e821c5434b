import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';

/** The beginning of an interrupted export. */
interface PartialState {
  /** The URL of the feeds. */
  base: string;
  /** The change number of the first response. */
  changeNumber: number;
}

const NEWLINE = 0x0a;

/**
 * The file `OUT.part` with the lines of an incomplete export, and `OUT.part.json` with the change number at
 * which its client continues. A complete export becomes `OUT` in one step.
 */
export class PartialExport {
  readonly #out: string;
  readonly #file: FileHandle;
  /** The number of complete lines. */
  items = 0;
  /** The size of the file in bytes. */
  bytes = 0;
  /** The beginning of the export, which is undefined before the first response. */
  state: PartialState | undefined;

  private constructor(out: string, file: FileHandle, state: PartialState | undefined) {
    this.#out = out;
    this.#file = file;
    this.state = state;
  }

  /**
   * Opens the partial export that belongs to a file, or creates one.
   * @param restart whether to discard an earlier partial export
   * @throws Error if the partial export belongs to another service; file system errors
   */
  static async open(out: string, base: string, restart: boolean): Promise<PartialExport> {
    if (restart) await rm(stateOf(out), { force: true });
    const state = await readState(out);
    if (state && state.base !== base)
      throw new Error(
        `${partOf(out)} is an interrupted export of ${state.base}. Use --restart to discard it`,
      );
    const file = await open(partOf(out), state ? 'r+' : 'w+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && state) return open(partOf(out), 'w+');
      throw error;
    });
    return new PartialExport(out, file, state);
  }

  /**
   * Stores the change number before the first line. Later calls change nothing. @throws file system errors
   */
  async begin(state: PartialState): Promise<void> {
    if (this.state) return;
    await writeFile(stateOf(this.#out), JSON.stringify(state));
    this.state = state;
  }

  /** Adds a part of the export. @throws file system errors */
  async append(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await this.#file.write(chunk, at, chunk.length - at, this.bytes);
      at += bytesWritten;
      this.bytes += bytesWritten;
    }
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.items++;
  }

  /**
   * Cuts off an incomplete last line.
   * @returns the id in the last complete line, or undefined if there is none
   * @throws Error if the last line is not an item; file system errors
   */
  async cut(): Promise<string | undefined> {
    let [at, end, lastStart] = [0, 0, 0];
    this.items = 0;
    for await (const chunk of createReadStream(partOf(this.#out)) as AsyncIterable<Buffer>) {
      for (let i = chunk.indexOf(NEWLINE); i >= 0; i = chunk.indexOf(NEWLINE, i + 1)) {
        lastStart = end;
        end = at + i + 1;
        this.items++;
      }
      at += chunk.length;
    }
    await this.#file.truncate(end);
    this.bytes = end;
    if (end === 0) return undefined;
    const line = Buffer.alloc(end - lastStart);
    await this.#file.read(line, 0, line.length, lastStart);
    const { id } = JSON.parse(line.toString()) as { id?: unknown };
    if (typeof id !== 'string')
      throw new Error(`the last line of ${partOf(this.#out)} is not an item. Use --restart`);
    return id;
  }

  /** Discards everything. @throws file system errors */
  async restart(): Promise<void> {
    await this.#file.truncate(0);
    [this.items, this.bytes, this.state] = [0, 0, undefined];
    await rm(stateOf(this.#out), { force: true });
  }

  /** Replaces `OUT` with the complete export. @throws file system errors */
  async complete(): Promise<void> {
    await this.#file.sync();
    await rename(partOf(this.#out), this.#out);
    await rm(stateOf(this.#out), { force: true });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

const partOf = (out: string): string => `${out}.part`;
const stateOf = (out: string): string => `${partOf(out)}.json`;

async function readState(out: string): Promise<PartialState | undefined> {
  try {
    return JSON.parse(await readFile(stateOf(out), 'utf8')) as PartialState;
  } catch (error) {
    // A kill during the first write leaves an incomplete file. The export then has no lines yet.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
