import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';

/** Lines, and one status line that is rewritten in place on a terminal and is a line of its own elsewhere. */
export class Screen {
  readonly #stream: WriteStream;
  #status = '';

  constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /** Whether somebody looks at it. */
  get isTerminal(): boolean {
    // The type promises a terminal; a pipe has no isTTY at all.
    return this.#stream.isTTY === true;
  }

  /** A line that stays, above the status. */
  line(text: string): void {
    this.#clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  /** What is now; replaces what was before. */
  status(text: string): void {
    if (!this.isTerminal) {
      this.#stream.write(`${text}\n`);
      return;
    }
    this.#clear();
    this.#status = stripVTControlCharacters(text);
    this.#draw();
  }

  /** Leaves the last status where it is and goes on below. */
  keepStatus(): void {
    if (this.#status !== '') this.#stream.write('\n');
    this.#status = '';
  }

  #clear(): void {
    if (this.#status === '') return;
    cursorTo(this.#stream, 0);
    moveCursor(this.#stream, 0, 1 - Math.ceil(this.#status.length / this.#stream.columns));
    clearScreenDown(this.#stream);
  }

  #draw(): void {
    this.#stream.write(this.#status);
  }
}
