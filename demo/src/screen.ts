import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';

/** A terminal without a size reports 0 columns. */
const UNKNOWN_WIDTH = 80;

/**
 * Writes lines, and one status line. A terminal shows the status in place. Elsewhere, each status is a line.
 */
export class Screen {
  readonly #stream: WriteStream;
  /**
   * Whether the screen rewrites the status in place. This requires a terminal that supports escape sequences.
   */
  readonly rewrites: boolean;
  #status = '';

  /** @param env `NO_COLOR` and `TERM=dumb` select plain lines, because they exclude escape sequences */
  constructor(stream: WriteStream, env: NodeJS.ProcessEnv) {
    this.#stream = stream;
    // A pipe has no isTTY, contrary to its type.
    this.rewrites = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  }

  /** Writes a line that stays, above the status. */
  line(text: string): void {
    this.#clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  /** Replaces the status. */
  status(text: string): void {
    if (!this.rewrites) {
      this.#stream.write(`${text}\n`);
      return;
    }
    this.#clear();
    this.#status = stripVTControlCharacters(text);
    this.#draw();
  }

  /** Leaves the last status where it is and continues below. */
  keepStatus(): void {
    if (this.#status !== '') this.#stream.write('\n');
    this.#status = '';
  }

  #clear(): void {
    if (this.#status === '') return;
    cursorTo(this.#stream, 0);
    moveCursor(this.#stream, 0, 1 - Math.ceil(this.#status.length / (this.#stream.columns || UNKNOWN_WIDTH)));
    clearScreenDown(this.#stream);
  }

  #draw(): void {
    this.#stream.write(this.#status);
  }
}
