/** The bytes are not what the format of the mapping says. The record becomes a dead letter. */
export class UndecodableError extends Error {
  override readonly name = 'UndecodableError';
}

/** Something that the decoder needs does not answer. The same record can be decoded later. */
export class DecoderUnavailableError extends Error {
  override readonly name: string = 'DecoderUnavailableError';
}

/** Decodes the key or the value of a record. Decoders of the same bytes give the same value. */
export interface Decoder {
  /**
   * Returns the value, or a promise of it.
   * @throws UndecodableError, DecoderUnavailableError
   */
  decode(bytes: Buffer, part: 'key' | 'value'): unknown;
}
