import { isUtf8 } from 'node:buffer';
import { jsonFaultAt, type TextRange, valueAt } from './json-positions.ts';

/** The bytes of a record's value that explain its reason, [from, to). */
export interface RecordFault {
  from: number;
  to: number;
}

const FAULT_LENGTH = 1;
/** The member that a reason is always about. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['key-mismatch', '/subject'],
  ['version-too-high', '/data/version'],
]);

/**
 * Finds the bytes because of which the decoder refused a value. Pure.
 * @param reason, detail of the dead letter
 * @param isData whether the value is only the event's data (binary mode of CloudEvents)
 * @returns undefined if the reason has no place in the value
 */
export function recordFault(
  value: Buffer | null,
  { reason, detail }: { reason: string; detail: string },
  isData: boolean,
): RecordFault | undefined {
  if (!value) return undefined;
  const invalid = firstInvalidByte(value);
  if (invalid !== undefined) return { from: invalid, to: invalid + FAULT_LENGTH };
  const text = value.toString('utf8');
  if (reason === 'not-json') {
    const at = jsonFaultAt(text);
    return at === undefined ? undefined : inBytes(text, { from: at, to: at + FAULT_LENGTH });
  }
  const pointer = reason === 'schema' ? pointerOf(detail) : PLACES.get(reason);
  if (pointer === undefined || (isData && !/^\/data(\/|$)/.test(pointer))) return undefined;
  const found = valueAt(text, isData ? pointer.slice('/data'.length) : pointer);
  return found && inBytes(text, found);
}

/** The detail of a schema error begins with the path of the wrong value. */
const pointerOf = (detail: string): string => /^(\/\S*) /.exec(detail)?.[1] ?? '';

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
