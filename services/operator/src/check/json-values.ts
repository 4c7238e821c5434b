import { type EventText, isSpace, LF, MAX_TEXT_BYTES, type Splitter } from './splitter.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const opens = (byte: number): boolean => byte === OPEN_OBJECT || byte === OPEN_ARRAY;
const closes = (byte: number): boolean => byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;

/**
 * Splits JSON values that follow one another, and the elements of arrays at the top level. The decoder
 * decides whether a value is valid. An array without an end is an invalid value of its own.
 */
export class JsonValues implements Splitter {
  #line = 1;
  /** The array that contains the current event. */
  #array: { line: number; index: number } | undefined;
  /** The event whose end has not been read yet. */
  #event: { line: number; index?: number; parts: Buffer[]; held: number; length: number } | undefined;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  *push(chunk: Buffer): Iterable<EventText> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === LF) this.#line++;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) {
          this.#inString = false;
          if (this.#depth === 0) yield this.#complete(chunk.subarray(from, at + 1));
        }
        continue;
      }
      if (!this.#event) {
        if (isSpace(byte) || (byte === COMMA && this.#array)) continue;
        if (byte === OPEN_ARRAY && !this.#array) {
          this.#array = { line: this.#line, index: 0 };
          continue;
        }
        if (byte === CLOSE_ARRAY && this.#array) {
          this.#array = undefined;
          continue;
        }
        this.#open();
        from = at;
      } else if (this.#depth === 0 && (isSpace(byte) || byte === COMMA || byte === CLOSE_ARRAY)) {
        // A number or a word has no end of its own.
        yield this.#complete(chunk.subarray(from, at));
        if (byte === LF) this.#line--;
        at--;
        continue;
      }
      if (byte === QUOTE) this.#inString = true;
      else if (opens(byte)) this.#depth++;
      else if (closes(byte) && --this.#depth <= 0) yield this.#complete(chunk.subarray(from, at + 1));
    }
    if (this.#event) this.#hold(chunk.subarray(from));
  }

  *end(): Iterable<EventText> {
    if (this.#event) yield this.#complete(Buffer.alloc(0));
    else if (this.#array) yield { line: this.#array.line, bytes: Buffer.from('['), length: 1 };
  }

  #open(): void {
    const place = { line: this.#line, ...(this.#array && { index: ++this.#array.index }) };
    this.#event = { ...place, parts: [], held: 0, length: 0 };
    this.#depth = 0;
  }

  #hold(part: Buffer): void {
    const event = this.#event;
    if (!event) return;
    event.length += part.length;
    const kept = part.subarray(0, MAX_TEXT_BYTES - event.held);
    if (kept.length === 0) return;
    // The reader may reuse the chunk's memory.
    event.parts.push(Buffer.from(kept));
    event.held += kept.length;
  }

  #complete(last: Buffer): EventText {
    const event = this.#event;
    if (!event) throw new Error('a value ends without a beginning');
    this.#event = undefined;
    this.#depth = 0;
    const { line, index, parts, held } = event;
    const bytes = Buffer.concat([...parts, last.subarray(0, MAX_TEXT_BYTES - held)]);
    return { line, ...(index !== undefined && { index }), bytes, length: event.length + last.length };
  }
}
