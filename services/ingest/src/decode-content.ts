import type { FetchedRecord } from '@vitrine/kafka';
import { type Decoder, UndecodableError } from './formats/format.ts';
import type { Content } from './map-record.ts';

/** The reason for a dead letter if key or value are not in the format of the mapping. */
export const UNDECODABLE = 'undecodable';

/**
 * Decodes key and value of a record. Returns a promise only if the decoder does, because a promise for each
 * record would take as long as the decoding of a small one.
 * @returns the content, or the detail of a dead letter
 * @throws DecoderUnavailableError
 */
export function decodeContent(
  decoder: Decoder,
  { key, value }: FetchedRecord,
): Content | { undecodable: string } | Promise<Content | { undecodable: string }> {
  try {
    const parts = [key && decoder.decode(key, 'key'), value && decoder.decode(value, 'value')];
    if (!parts.some((part) => part instanceof Promise)) return { key: parts[0], value: parts[1] };
    return Promise.all(parts).then(([key, value]) => ({ key, value }), undecodable);
  } catch (error) {
    return undecodable(error);
  }
}

function undecodable(error: unknown): { undecodable: string } {
  if (error instanceof UndecodableError) return { undecodable: error.message };
  throw error;
}
