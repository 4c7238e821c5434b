/** The bytes are not in the mapping's format. The record becomes a dead letter. */
export class UndecodableError extends Error {
  override readonly name: string = 'UndecodableError';
}

/** Something that the decoder needs is not responding. The same record can be decoded later. */
export class DecoderUnavailableError extends Error {
  override readonly name: string = 'DecoderUnavailableError';
}

/** Decodes the key or the value of a record. Decoding the same bytes always gives the same value. */
export interface Decoder {
  /**
   * Returns the value, or a promise of it.
   * @throws UndecodableError, DecoderUnavailableError
   */
  decode(bytes: Buffer, part: 'key' | 'value'): unknown;
}
