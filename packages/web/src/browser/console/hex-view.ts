import type { Content } from './api-types.ts';

/** A part of a value, with the part's position in the whole value. */
export interface BytePart {
  bytes: Uint8Array;
  from: number;
  /** The size of the whole value. */
  total: number;
}

/** Returns the bytes of the content. Pure. */
export function bytesOf(content: Content): Uint8Array {
  if ('text' in content) return new TextEncoder().encode(content.text);
  return Uint8Array.from(atob(content.base64), (character) => character.charCodeAt(0));
}

/**
 * Cuts a part of at most `limit` bytes out of a value. The part begins at a line of 16 bytes and contains the
 * fault. Pure.
 */
export function partAround(bytes: Uint8Array, fault: { from: number } | undefined, limit: number): BytePart {
  const start = Math.max(0, Math.min((fault?.from ?? 0) - limit / 2, bytes.length - limit));
  const from = Math.floor(start / 16) * 16;
  return { bytes: bytes.subarray(from, from + limit), from, total: bytes.length };
}

export interface HexLine {
  /** The position of the first byte. */
  at: number;
  cells: { hex: string; character: string; isFault: boolean }[];
}

/** Formats bytes as lines of 16. Pure. */
export function hexLines(
  { bytes, from }: BytePart,
  fault: { from: number; to: number } | undefined,
): HexLine[] {
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, line) => ({
    at: from + line * 16,
    cells: [...bytes.subarray(line * 16, line * 16 + 16)].map((byte, i) => {
      const at = from + line * 16 + i;
      return {
        hex: byte.toString(16).padStart(2, '0'),
        character: byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
        isFault: fault !== undefined && at >= fault.from && at < fault.to,
      };
    }),
  }));
}

/** Splits a part into the texts before, in and after the fault. Bytes that are not UTF-8 become U+FFFD. Pure. */
export function textAround(
  { bytes, from }: BytePart,
  fault: { from: number; to: number } | undefined,
): { before: string; fault: string; after: string } {
  const decoder = new TextDecoder();
  if (!fault) return { before: decoder.decode(bytes), fault: '', after: '' };
  const [start, end] = [fault.from - from, fault.to - from].map((at) =>
    Math.max(0, Math.min(bytes.length, at)),
  );
  return {
    before: decoder.decode(bytes.subarray(0, start)),
    fault: decoder.decode(bytes.subarray(start, end)),
    after: decoder.decode(bytes.subarray(end)),
  };
}
