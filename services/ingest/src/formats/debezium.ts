import { type Decoder, UndecodableError } from './format.ts';
import { parseJson, textOf } from './json.ts';

/**
 * Removes the wrapper that Debezium's JSON converter puts around the payload to add a schema
 * (`schemas.enable`).
 */
const withoutSchema = (document: unknown): unknown => {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  const { schema, payload, ...others } = document as { schema?: unknown; payload?: unknown };
  return payload !== undefined && schema !== undefined && Object.keys(others).length === 0
    ? payload
    : document;
};

/** Decodes Debezium's JSON, with or without schemas. A key that is not a JSON object is text. */
export const debeziumDecoder: Decoder = {
  decode(bytes, part) {
    if (part === 'value') return withoutSchema(parseJson(bytes, part));
    try {
      return withoutSchema(parseJson(bytes, part));
    } catch (error) {
      if (!(error instanceof UndecodableError)) throw error;
      return textOf(bytes) ?? bytes;
    }
  },
};
