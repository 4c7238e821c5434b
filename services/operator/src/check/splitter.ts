/** The text of one event in a file. */
export interface EventText {
  /** The line on which the event begins, counted from 1. */
  line: number;
  /** The position of the event in its array, counted from 1. */
  index?: number;
  /**
   * The text, or its beginning if it is longer than `MAX_TEXT_BYTES`. The bytes are valid until the next
   * call.
   */
  bytes: Buffer;
  /** The number of bytes in the whole text. */
  length: number;
}

/** Twice the size of the largest record, so that white space between lines cannot make an event too large. */
export const MAX_TEXT_BYTES = 2 * 1024 * 1024;

export const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** Whether a byte is white space in JSON (RFC 8259 §2). */
export const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LF || byte === CR || byte === TAB;

/** Splits an input into the texts of its events. */
export interface Splitter {
  push(chunk: Buffer): Iterable<EventText>;
  end(): Iterable<EventText>;
}
