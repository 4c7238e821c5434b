import { LRUCache } from 'lru-cache';
import { compileAvro } from './avro.ts';
import { ByteInput } from './byte-input.ts';
import { type Decoder, DecoderUnavailableError, UndecodableError } from './format.ts';
import { parseJson, textOf } from './json.ts';
import { compileProtobuf } from './protobuf.ts';
import {
  connectSchemaRegistry,
  type RegisteredSchema,
  type RegistryConnection,
  UnknownSchemaError,
} from './schema-registry.ts';

/** Decodes the bytes that follow the schema id. */
type Decode = (input: ByteInput, part: string) => unknown;

export interface ConfluentDecoder extends Decoder {
  /**
   * Returns a promise only if the decoder must query the registry because the schema is not in the cache. A
   * key may also be plain text or bytes.
   */
  decode(bytes: Buffer, part: 'key' | 'value'): unknown;
  close(): Promise<void>;
}

const MAGIC = 0;
const HEADER_BYTES = 5;
const MAX_SCHEMAS = 1_000;
/** Together, the compiled schemas in the cache have at most this many characters of text. */
const MAX_CACHED_TEXT = 16 * 1024 * 1024;
/** How long the decoder remembers that a schema does not exist, in milliseconds. */
const UNKNOWN_MS = 10_000;
/** How long the decoder waits for a schema that the registry does not know yet, in milliseconds. */
const AWAIT_MS = 10_000;
/**
 * The decoder awaits at most this number of unknown schemas within a minute. A topic full of damaged ids would
 * otherwise wait for each of them.
 */
const AWAITED_PER_MINUTE = 3;
const MINUTE_MS = 60_000;
const MAX_POSITION = 100;

/**
 * Creates a decoder for Confluent's wire format: a zero byte, the id of the schema in four bytes, and a value
 * in Avro, Protobuf (after the position of its message in the schema) or JSON. `compileAvro` and
 * `compileProtobuf` say which JavaScript values result. A value with a JSON Schema is parsed but not
 * validated. Validating the value is the producer's task, and the ingest validates the events.
 * @param awaitMs how long the registry counts as unavailable if it does not know a schema, because one of its
 * instances may be behind the others (docs/start/ingest.md#dead-letters)
 */
export function createConfluentDecoder(connection: RegistryConnection, awaitMs = AWAIT_MS): ConfluentDecoder {
  const registry = connectSchemaRegistry(connection);
  const cache = new LRUCache<number, Decode | UndecodableError>({
    max: MAX_SCHEMAS,
    maxSize: MAX_CACHED_TEXT,
  });
  const pending = new Map<number, Promise<Decode>>();
  /** The times until which the decoder waits for unknown schemas, in epoch milliseconds. */
  const awaitedUntil = new LRUCache<number, number>({ max: MAX_SCHEMAS });
  let minute = { since: Number.NEGATIVE_INFINITY, awaited: 0 };

  const isAwaited = (id: number): boolean => {
    const now = Date.now();
    const known = awaitedUntil.get(id);
    if (known !== undefined) return now < known;
    if (Math.abs(now - minute.since) > MINUTE_MS) minute = { since: now, awaited: 0 };
    const isFree = minute.awaited < AWAITED_PER_MINUTE;
    if (isFree) minute.awaited++;
    awaitedUntil.set(id, isFree ? now + awaitMs : now);
    return isFree && awaitMs > 0;
  };

  /** A registered schema never changes, so a failed compilation also stays in the cache. */
  const load = async (id: number): Promise<Decode> => {
    try {
      const schema = await registry.schema(id);
      const size = schema.text.length + schema.references.reduce((sum, { text }) => sum + text.length, 1_000);
      const decode = compileOrError(schema);
      cache.set(id, decode, { size });
      if (decode instanceof UndecodableError) throw decode;
      return decode;
    } catch (error) {
      if (error instanceof UnknownSchemaError && isAwaited(id))
        throw new DecoderUnavailableError(`${error.message} yet`, { cause: error });
      if (error instanceof UndecodableError && !cache.has(id))
        cache.set(id, error, { size: 1_000, ttl: UNKNOWN_MS });
      throw error;
    } finally {
      pending.delete(id);
    }
  };

  const decoderOf = (id: number): Decode | Promise<Decode> => {
    const cached = cache.get(id);
    if (cached instanceof UndecodableError) throw cached;
    if (cached !== undefined) return cached;
    const loading = pending.get(id) ?? load(id);
    pending.set(id, loading);
    return loading;
  };

  return {
    decode(bytes, part) {
      const id = schemaId(bytes);
      if (id === undefined) {
        if (part === 'key') return textOf(bytes) ?? bytes;
        throw new UndecodableError(
          'the value is not in the Confluent wire format: it does not begin with a zero byte and the id of a schema',
        );
      }
      const decode = decoderOf(id);
      const input = new ByteInput(bytes, HEADER_BYTES);
      return typeof decode === 'function'
        ? decode(input, part)
        : decode.then((loaded) => loaded(input, part));
    },
    close: () => registry.close(),
  };
}

/** Returns the schema's id, or undefined if the bytes are not in the wire format. */
function schemaId(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES || bytes[0] !== MAGIC) return undefined;
  // A registry may respond to an impossible id as it responds to a wrong address. The ingest would then wait
  // forever.
  const id = bytes.readInt32BE(1);
  return id > 0 ? id : undefined;
}

function compileOrError(schema: RegisteredSchema): Decode | UndecodableError {
  try {
    return compile(schema);
  } catch (error) {
    if (error instanceof UndecodableError) return error;
    throw error;
  }
}

function compile({ type, text, references }: RegisteredSchema): Decode {
  switch (type) {
    case 'AVRO':
      return compileAvro(
        text,
        references.map((reference) => reference.text),
      );
    case 'PROTOBUF': {
      const decode = compileProtobuf(text, references);
      return (input) => decode(position(input), input.take(input.remaining), input.budget);
    }
    case 'JSON':
      return (input, part) => parseJson(input.take(input.remaining), part);
    default:
      throw new UndecodableError(`the schema has the unsupported type ${type.slice(0, 50)}`);
  }
}

/**
 * Reads the indexes that lead through the enclosing messages to a message. An empty list means the first
 * message.
 */
function position(input: ByteInput): number[] {
  const length = input.int();
  if (length < 0 || length > MAX_POSITION)
    throw new UndecodableError(`the position of the message has ${length} indexes`);
  return length === 0 ? [0] : Array.from({ length }, () => input.int());
}
