import { isUtf8 } from 'node:buffer';
import { Budget } from './budget.ts';
import { exactInteger } from './exact-values.ts';
import { UndecodableError } from './format.ts';

const MAX_UINT64 = (1n << 64n) - 1n;

/** Reads the numbers, strings and bytes of a record in turn, and never beyond its end. */
export class ByteInput {
  readonly budget: Budget;
  readonly #bytes: Buffer;
  #position: number;

  constructor(bytes: Buffer, position: number) {
    this.budget = new Budget(bytes.length);
    this.#bytes = bytes;
    this.#position = position;
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw ended();
    this.#position++;
    return byte;
  }

  /** Reads a variable-length zigzag integer of 64 bits, as in Avro and in the list of message indexes. */
  long(): number | bigint {
    let value = 0;
    let factor = 1;
    // Seven bytes have 49 bits, which a number holds exactly.
    for (let index = 0; index < 7; index++, factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    let large = BigInt(value);
    for (let shift = 49n; shift <= 63n; shift += 7n) {
      const byte = this.byte();
      large |= BigInt(byte & 127) << shift;
      if (byte < 128 && large <= MAX_UINT64) return exactInteger((large >> 1n) ^ -(large & 1n));
    }
    throw new UndecodableError('a number has more than 64 bits');
  }

  /** Reads a `long` of at most 32 bits. */
  int(): number {
    const value = this.long();
    if (typeof value === 'bigint' || value !== (value | 0))
      throw new UndecodableError('a number of type int has more than 32 bits');
    return value;
  }

  float(): number {
    return this.take(4).readFloatLE();
  }

  double(): number {
    return this.take(8).readDoubleLE();
  }

  /** Reads bytes that follow their length, which is a `long`. */
  bytes(): Buffer {
    return this.take(this.long());
  }

  /** Reads text that follows its length in bytes, which is a `long`. */
  string(): string {
    const bytes = this.bytes();
    const text = bytes.toString();
    // The conversion replaces bytes that are not UTF-8 with U+FFFD. Only strings with this character need the
    // check.
    if (text.includes('\uFFFD') && !isUtf8(bytes)) throw new UndecodableError('a string is not UTF-8');
    return text;
  }

  /** Returns the next `length` bytes without copying them. */
  take(length: number | bigint): Buffer {
    if (length < 0 || length > this.remaining) throw ended();
    const start = this.#position;
    this.#position += Number(length);
    return this.#bytes.subarray(start, this.#position);
  }
}

const ended = () => new UndecodableError('the record ends before its value is complete');
