import { type Decoder, UndecodableError } from './format.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes bytes as text. Returns undefined if they are not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses a JSON document. @throws UndecodableError */
export function parseJson(bytes: Buffer, part: string): unknown {
  const text = textOf(bytes);
  if (text === undefined) throw new UndecodableError(`the ${part} is not UTF-8`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UndecodableError(`the ${part} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Values are JSON. Keys are text, because most producers write a plain id. */
export const jsonDecoder: Decoder = {
  decode: (bytes, part) => (part === 'key' ? (textOf(bytes) ?? bytes) : parseJson(bytes, part)),
};
