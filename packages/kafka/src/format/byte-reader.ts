/**
 * Reads big-endian Kafka protocol types in order. Every method throws a RangeError at the end of the data.
 * Pure.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  /** The index of the next byte to read. */
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#skip(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#skip(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#skip(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#skip(8));
  }

  /**
   * Reads a zigzag varint or varlong. The result is exact up to 2^53, which is enough for lengths, offsets
   * and milliseconds.
   */
  varint(): number {
    let result = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes.readUInt8(this.#skip(1));
      result += (byte & 0x7f) * scale;
      if (byte < 0x80) return result % 2 === 0 ? result / 2 : -(result + 1) / 2;
      scale *= 128;
      if (scale > 2 ** 63) throw new RangeError('a varint is longer than ten bytes');
    }
  }

  /** Returns a view of the next bytes, or null for a negative length. */
  bytes(length: number): Buffer | null {
    if (length < 0) return null;
    const from = this.#skip(length);
    if (this.at > this.#bytes.length) throw new RangeError('a length field points past the end of the data');
    return this.#bytes.subarray(from, this.at);
  }

  /** Reads a string with an int16 length. Returns an empty string for null. */
  string(): string {
    return this.bytes(this.int16())?.toString() ?? '';
  }

  /** Reads an array with an int32 length. Returns an empty array for null. */
  array<T>(item: () => T): T[] {
    const items: T[] = [];
    for (let left = this.int32(); left > 0; left--) items.push(item());
    return items;
  }

  unsignedVarint(): number {
    let result = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes.readUInt8(this.#skip(1));
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return result;
    }
    throw new RangeError('an unsigned varint is longer than five bytes');
  }

  /** Reads a COMPACT_NULLABLE_STRING, whose length is an unsigned varint. */
  compactString(): string | null {
    return this.bytes(this.unsignedVarint() - 1)?.toString() ?? null;
  }

  /** Reads a COMPACT_ARRAY. Returns an empty array for null. */
  compactArray<T>(item: () => T): T[] {
    const items: T[] = [];
    for (let left = this.unsignedVarint() - 1; left > 0; left--) items.push(item());
    return items;
  }

  /** Skips the tagged fields, which end each structure of a flexible version. */
  tags(): void {
    for (let left = this.unsignedVarint(); left > 0; left--) {
      this.unsignedVarint();
      this.bytes(this.unsignedVarint());
    }
  }

  #skip(length: number): number {
    const from = this.at;
    this.at += length;
    return from;
  }
}
