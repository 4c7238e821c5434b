import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const BUFFER_CHARACTERS = 64 * 1024;

/** A file with one JSON document per line. */
export class ReportFile {
  readonly #path: string;
  readonly #file: number;
  #pending = '';

  /**
   * Opens the file before any work, so that an unwritable file is refused at once.
   * @param input the file that the command reads, which the report must not replace
   * @throws Error if the file cannot be written, or is the input
   */
  constructor(path: string, input?: number) {
    this.#path = path;
    // The flag `a` does not empty the file, which may be the input.
    const file = this.#try(() => openSync(path, 'a'));
    this.#file = file;
    if (input !== undefined && isSame(file, input)) {
      closeSync(file);
      throw new Error(`the report cannot replace its input ${path}`);
    }
    closeSync(file);
    this.#file = this.#try(() => openSync(path, 'w'));
  }

  /** Adds a line. @throws Error if the file cannot be written, for example because the disk is full */
  write(document: object): void {
    this.#pending += `${JSON.stringify(document)}\n`;
    if (this.#pending.length > BUFFER_CHARACTERS) this.#flush();
  }

  /** Writes the last lines. @throws Error if the file cannot be written */
  end(): void {
    this.#flush();
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    this.#try(() => {
      for (let from = 0; from < bytes.length; ) from += writeSync(this.#file, bytes, from);
    });
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new Error(`could not write the report ${this.#path}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

function isSame(one: number, other: number): boolean {
  const [a, b] = [fstatSync(one), fstatSync(other)];
  return a.isFile() && a.dev === b.dev && a.ino === b.ino;
}
