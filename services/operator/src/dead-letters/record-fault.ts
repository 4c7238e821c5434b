import { isUtf8 } from 'node:buffer';
import { jsonFaultAt, type TextRange, valueAt } from './json-positions.ts';

/** The bytes of a record's value that explain the reason: the range [from, to), which is never empty. */
export interface RecordFault {
  from: number;
  to: number;
  /**
   * The position as the JSON parser counts it: in UTF-16 code units, from 0. It is present only for a fault
   * in the JSON syntax.
   */
  character?: number;
  /** Whether the value ends too early. If it does, the range is that of its last character. */
  isEnd?: true;
}
/** The member that each of these reasons always concerns. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['key-mismatch', '/subject'],
  ['version-too-high', '/data/version'],
]);

/**
 * Finds the bytes that made the decoder refuse a value. Pure.
 * @param reason, detail of the dead letter
 * @param isData whether the value is only the event's data (binary mode of CloudEvents)
 * @returns undefined if the reason does not concern specific bytes of the value
 */
export function recordFault(
  value: Buffer | null,
  { reason, detail }: { reason: string; detail: string },
  isData: boolean,
): RecordFault | undefined {
  if (!value) return undefined;
  const invalid = firstInvalidByte(value);
  if (invalid !== undefined) return { from: invalid, to: invalid + 1 };
  const text = value.toString('utf8');
  if (reason === 'not-json') {
    const at = jsonFaultAt(text);
    return at === undefined ? undefined : characterAt(text, at);
  }
  const pointer = reason === 'schema' || PLACES.has(reason) ? faultPath({ reason, detail }) : undefined;
  if (pointer === undefined || (isData && !/^\/data(\/|$)/.test(pointer))) return undefined;
  const found = valueAt(text, isData ? pointer.slice('/data'.length) : pointer);
  return found && inBytes(text, found);
}

/**
 * Returns the path (RFC 6901) of the wrong value in the event. The detail of a schema error begins with this
 * path. The path is empty for the whole record. Pure.
 */
export const faultPath = ({ reason, detail }: { reason: string; detail: string }): string =>
  reason === 'schema' ? (/^(\/\S*) /.exec(detail)?.[1] ?? '') : (PLACES.get(reason) ?? '');

/** The whole character at a position in the text, or the last character if the text ends too early. */
function characterAt(text: string, at: number): RecordFault | undefined {
  if (text === '') return undefined;
  const isEnd = at >= text.length;
  const last = isEnd ? text.length - 1 : at;
  // The second half of a surrogate pair has no bytes of its own.
  const from = /[\udc00-\udfff]/.test(text[last] as string) ? last - 1 : last;
  const to = from + String.fromCodePoint(text.codePointAt(from) as number).length;
  return { ...inBytes(text, { from, to }), character: at, ...(isEnd && { isEnd }) };
}

const inBytes = (text: string, { from, to }: TextRange): RecordFault => ({
  from: Buffer.byteLength(text.slice(0, from)),
  to: Buffer.byteLength(text.slice(0, to)),
});

/** Finds the first byte that begins no valid UTF-8 character. Pure. */
function firstInvalidByte(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length > 1 && (at + length > bytes.length || !isUtf8(bytes.subarray(at, at + length)))) return at;
    at += length;
  }
  return undefined;
}
