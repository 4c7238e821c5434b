import { JsonValues } from './json-values.ts';
import { type EventText, isSpace, LF, MAX_TEXT_BYTES, type Splitter } from './splitter.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits a file into events: one per line, an array, or objects that span several lines. It reads the input
 * in pieces, and holds at most the text of one event.
 */
export class EventTexts implements Splitter {
  #begin = Buffer.alloc(0);
  #splitter: Splitter | undefined;

  *push(chunk: Buffer): Iterable<EventText> {
    if (this.#splitter) return yield* this.#splitter.push(chunk);
    this.#begin = Buffer.concat([this.#begin, chunk]);
    yield* this.#choose(false);
  }

  *end(): Iterable<EventText> {
    if (!this.#splitter) yield* this.#choose(true);
    if (this.#splitter) yield* this.#splitter.end();
  }

  *#choose(isWhole: boolean): Iterable<EventText> {
    const { length } = BYTE_ORDER_MARK;
    if (this.#begin.length < length && !isWhole) return;
    const hasMark = this.#begin.subarray(0, length).equals(BYTE_ORDER_MARK);
    const text = hasMark ? this.#begin.subarray(length) : this.#begin;
    this.#splitter = splitterFor(text, isWhole || text.length > MAX_TEXT_BYTES);
    if (!this.#splitter) return;
    this.#begin = Buffer.alloc(0);
    yield* this.#splitter.push(text);
  }
}

/** Returns undefined if the beginning does not reveal the input's form. */
function splitterFor(text: Buffer, isWhole: boolean): Splitter | undefined {
  let at = 0;
  while (isSpace(text[at])) at++;
  const first = text[at];
  if (first === undefined) return isWhole ? new Lines() : undefined;
  if (first === 0) return new WholeInput();
  if (first === OPEN_ARRAY) return new JsonValues();
  if (first !== OPEN_OBJECT) return new Lines();
  const end = text.indexOf(LF, at);
  if (end === -1) return isWhole ? new Lines() : undefined;
  if (isClosed(text.subarray(at, end))) return new Lines();
  at = end;
  while (isSpace(text[at])) at++;
  if (text[at] === undefined) return isWhole ? new Lines() : undefined;
  // An object that spans several lines continues with a member. After an incomplete line, the next event
  // begins.
  return text[at] === OPEN_OBJECT ? new Lines() : new JsonValues();
}

function isClosed(line: Buffer): boolean {
  const values = new JsonValues();
  for (const _ of values.push(line)) return true;
  return false;
}

/** Reads one event per line. An unreadable line does not affect the other lines. */
class Lines implements Splitter {
  #line = 1;
  #rest: Buffer[] = [];
  #held = 0;
  #length = 0;

  *push(chunk: Buffer): Iterable<EventText> {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      yield* this.#complete(chunk.subarray(from, end));
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
  }

  *end(): Iterable<EventText> {
    yield* this.#complete(Buffer.alloc(0));
  }

  #hold(part: Buffer): void {
    this.#length += part.length;
    const kept = part.subarray(0, MAX_TEXT_BYTES - this.#held);
    if (kept.length === 0) return;
    // The reader may reuse the chunk's memory.
    this.#rest.push(Buffer.from(kept));
    this.#held += kept.length;
  }

  *#complete(last: Buffer): Iterable<EventText> {
    const line = this.#line++;
    let text = last;
    let { length } = last;
    if (this.#length > 0) {
      length += this.#length;
      text = Buffer.concat([...this.#rest, last.subarray(0, MAX_TEXT_BYTES - this.#held)]);
      this.#rest = [];
      this.#held = this.#length = 0;
    }
    const bytes = trimmed(text);
    if (bytes.length > 0) yield { line, bytes, length: length - text.length + bytes.length };
  }
}

function trimmed(text: Buffer): Buffer {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text[from])) from++;
  while (to > from && isSpace(text[to - 1])) to--;
  return text.subarray(from, to);
}

/** An input that is not text, for example one message in the wire format of a schema registry. */
class WholeInput implements Splitter {
  #bytes = Buffer.alloc(0);
  #length = 0;

  push(chunk: Buffer): Iterable<EventText> {
    this.#length += chunk.length;
    if (this.#bytes.length < MAX_TEXT_BYTES) this.#bytes = Buffer.concat([this.#bytes, chunk]);
    return [];
  }

  *end(): Iterable<EventText> {
    yield { line: 1, bytes: this.#bytes.subarray(0, MAX_TEXT_BYTES), length: this.#length };
  }
}
