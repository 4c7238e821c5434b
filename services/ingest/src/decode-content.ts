import type { FetchedRecord } from '@vitrine/kafka';
import { type Decoder, UndecodableError } from './formats/format.ts';
import type { Content } from './map-record.ts';

/** The reason for a dead letter if the key or the value is not in the mapping's format. */
export const UNDECODABLE = 'undecodable';

/**
 * Decodes the key and the value of a record. Returns a promise only if the decoder does, because creating a
 * promise for each record would take as long as decoding a small record.
 * @returns the content, or the detail for a dead letter
 * @throws DecoderUnavailableError
 */
export function decodeContent(
  decoder: Decoder,
  { key, value }: FetchedRecord,
): Content | { undecodable: string } | Promise<Content | { undecodable: string }> {
  try {
    const decodedKey = key && handled(decoder.decode(key, 'key'));
    const decodedValue = value && decoder.decode(value, 'value');
    if (!(decodedKey instanceof Promise) && !(decodedValue instanceof Promise))
      return contentOf(value, decodedKey, decodedValue);
    return Promise.all([decodedKey, decodedValue]).then(
      ([decodedKey, decodedValue]) => contentOf(value, decodedKey, decodedValue),
      undecodable,
    );
  } catch (error) {
    return undecodable(error);
  }
}

/**
 * A mapping reads null as a tombstone, which removes a listing. A value that decodes to null must not remove
 * one.
 */
function contentOf(bytes: Buffer | null, key: unknown, value: unknown): Content | { undecodable: string } {
  if (bytes !== null && value === null)
    return { undecodable: 'the value is null, but the record is not a tombstone' };
  return { key, value };
}

/**
 * If decoding the value throws, no code awaits the key's promise. Its rejection must then not end the
 * process.
 */
function handled(part: unknown): unknown {
  if (part instanceof Promise) part.catch(() => undefined);
  return part;
}

function undecodable(error: unknown): { undecodable: string } {
  if (error instanceof UndecodableError) return { undecodable: error.message };
  throw error;
}
