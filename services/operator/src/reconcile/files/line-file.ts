import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const WRITE_CHARACTERS = 256 * 1024;
const READ_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** A new file with one JSON document per line. */
export class LineFile {
  readonly path: string;
  readonly #file: FileHandle;
  #text = '';
  lines = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Creates the file, or replaces its content. @throws file system errors */
  static async create(path: string): Promise<LineFile> {
    return new LineFile(path, await open(path, 'w'));
  }

  /** Adds a line. `drain` writes it. */
  add(value: unknown): void {
    this.addText(JSON.stringify(value));
  }

  /** Adds a line that is already JSON. */
  addText(json: string): void {
    this.#text += `${json}\n`;
    this.lines++;
  }

  /** Writes the added lines if there are many of them. @throws file system errors */
  async drain(): Promise<void> {
    if (this.#text.length >= WRITE_CHARACTERS) await this.#write();
  }

  /** Writes all lines and closes the file. @throws file system errors */
  async close(): Promise<void> {
    try {
      await this.#write();
    } finally {
      await this.#file.close();
    }
  }

  async #write(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#file.writeFile(text).catch((error: Error) => {
      throw new Error(
        `could not write ${this.path}: ${error.message}. Choose a path with more space, or set TMPDIR`,
        { cause: error },
      );
    });
  }
}

/**
 * Reads the documents in such a file, in batches of the lines that end in one chunk.
 * @throws file system errors
 */
export async function* readLineFile<T>(path: string): AsyncGenerator<T[]> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      rest.push(chunk);
      continue;
    }
    const text = Buffer.concat([...rest, chunk.subarray(0, end)]).toString();
    rest = [chunk.subarray(end + 1)];
    yield text.split('\n').map((line) => JSON.parse(line) as T);
  }
}
