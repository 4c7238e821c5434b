import { setMember } from './budget.ts';
import type { ByteInput } from './byte-input.ts';
import { date, decimal, MAX_SCALE, time } from './exact-values.ts';
import { UndecodableError } from './format.ts';

type Read = (input: ByteInput) => unknown;

/** The types that a schema has defined so far, by full name. */
type Names = Map<string, Read>;

interface Context {
  readonly names: Names;
  readonly namespace: string;
  readonly depth: number;
}

/** No table's schema is nested this deeply. The limit is needed because the compilation is recursive. */
const MAX_SCHEMA_DEPTH = 100;
/** Without this limit, each of 50,000 types could repeat a namespace of any length. */
const MAX_NAME = 1_000;

const PRIMITIVES: Readonly<Record<string, Read>> = {
  null: () => null,
  boolean: (input) => {
    const byte = input.byte();
    if (byte > 1) throw new UndecodableError(`a boolean has the byte ${byte} instead of 0 or 1`);
    return byte === 1;
  },
  int: (input) => input.int(),
  long: (input) => input.long(),
  float: (input) => input.float(),
  double: (input) => input.double(),
  bytes: (input) => input.bytes(),
  string: (input) => input.string(),
};

/** The number of decimal digits in the fraction of a second, for each unit. */
const UNITS: Readonly<Record<string, number>> = { millis: 3, micros: 6, nanos: 9 };

/**
 * Prepares the decoding of Avro's binary encoding with the writer's schema. The result interprets the
 * schema: it generates no code, and it reads a bounded number of values (decision 0112).
 *
 * A record becomes an object; a union becomes the value of its branch; an enum becomes its symbol; `bytes`
 * and `fixed` become a Buffer; a `long` beyond 2^53 becomes a bigint. The logical types `decimal`, `date` and
 * `timestamp-*` become strings ('12.50', '2026-07-01', '2026-07-01T10:00:00.123Z'). Other logical types keep
 * the value of their underlying type, as Avro 1.12 requires for unknown logical types.
 * @param references the schemas of named types that `schema` uses, in an order in which each one needs only
 * those before it
 * @throws UndecodableError if a schema is invalid
 */
export function compileAvro(schema: string, references: readonly string[]): Read {
  const context = { names: new Map(), namespace: '', depth: 0 };
  for (const reference of references) compile(parse(reference), context);
  const read = compile(parse(schema), context);
  return (input) => {
    const value = read(input);
    if (input.remaining > 0)
      throw new UndecodableError(`${input.remaining} bytes follow the value of the record`);
    return value;
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UndecodableError('an Avro schema is not JSON', { cause: error });
  }
}

/**
 * Returns the reader for a schema. The reader counts every value, because an array item may have no bytes.
 */
function compile(schema: unknown, context: Context): Read {
  if (context.depth > MAX_SCHEMA_DEPTH) throw invalid(`is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
  const inner = { ...context, depth: context.depth + 1 };
  const read = Array.isArray(schema) ? union(schema, inner) : single(schema, inner);
  return (input) => {
    input.budget.spend(1);
    return read(input);
  };
}

function single(schema: unknown, context: Context): Read {
  if (typeof schema === 'string') return named(schema, context);
  if (!isObject(schema)) throw invalid(`contains ${JSON.stringify(schema)} where a type must be`);
  const { type } = schema;
  switch (type) {
    case 'record':
      return record(schema, context);
    case 'enum':
      return enumeration(schema, context);
    case 'fixed':
      return fixed(schema, context);
    case 'array':
      return array(schema, context);
    case 'map':
      return map(schema, context);
    default:
      if (typeof type !== 'string') return compile(type, context);
      return logical(schema, type) ?? named(type, context);
  }
}

function named(name: string, { names, namespace }: Context): Read {
  const primitive = Object.hasOwn(PRIMITIVES, name) ? PRIMITIVES[name] : undefined;
  const read =
    primitive ??
    names.get(namespace && !name.includes('.') ? `${namespace}.${name}` : name) ??
    names.get(name);
  if (read === undefined) throw invalid(`uses the unknown type ${JSON.stringify(name.slice(0, 100))}`);
  return read;
}

/** Registers a named type before its parts are compiled, because they may contain the type itself. */
function define(schema: Record<string, unknown>, context: Context, read: Read): Context {
  const { name, namespace = context.namespace } = schema;
  if (typeof name !== 'string' || name === '' || typeof namespace !== 'string')
    throw invalid(`has a ${String(schema.type)} without a name`);
  const full = name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
  if (full.length > MAX_NAME) throw invalid(`has a name of more than ${MAX_NAME} characters`);
  if (context.names.has(full)) throw invalid(`defines the type ${JSON.stringify(full.slice(0, 100))} twice`);
  context.names.set(full, read);
  return { ...context, namespace: full.slice(0, Math.max(0, full.lastIndexOf('.'))) };
}

function record(schema: Record<string, unknown>, context: Context): Read {
  const fields: { name: string; read: Read }[] = [];
  const read: Read = (input) => {
    const value: Record<string, unknown> = {};
    input.budget.enter();
    for (const field of fields) setMember(value, field.name, field.read(input));
    input.budget.leave();
    return value;
  };
  const inner = define(schema, context, read);
  if (!Array.isArray(schema.fields)) throw invalid('has a record without fields');
  for (const field of schema.fields) {
    if (!isObject(field) || typeof field.name !== 'string') throw invalid('has a field without a name');
    fields.push({ name: field.name, read: compile(field.type, inner) });
  }
  return read;
}

function enumeration(schema: Record<string, unknown>, context: Context): Read {
  const { symbols } = schema;
  if (!Array.isArray(symbols) || !symbols.every((symbol) => typeof symbol === 'string'))
    throw invalid('has an enum without symbols');
  const read: Read = (input) => at(symbols, input, 'symbol');
  define(schema, context, read);
  return read;
}

function fixed(schema: Record<string, unknown>, context: Context): Read {
  const { size } = schema;
  if (!Number.isSafeInteger(size) || Number(size) < 0) throw invalid('has a fixed type without a size');
  const read = logical(schema, 'fixed') ?? ((input) => input.take(Number(size)));
  define(schema, context, read);
  return read;
}

function union(branches: unknown[], context: Context): Read {
  const readers = branches.map((branch) => compile(branch, context));
  return (input) => at(readers, input, 'branch')(input);
}

function array(schema: Record<string, unknown>, context: Context): Read {
  const read = compile(schema.items, context);
  return (input) => {
    const items: unknown[] = [];
    inBlocks(input, () => items.push(read(input)));
    return items;
  };
}

function map(schema: Record<string, unknown>, context: Context): Read {
  const read = compile(schema.values, context);
  return (input) => {
    const values: Record<string, unknown> = {};
    inBlocks(input, () => setMember(values, input.string(), read(input)));
    return values;
  };
}

/** Reads the blocks of an array or map. A negative count precedes the block's size in bytes. */
function inBlocks(input: ByteInput, readItem: () => void): void {
  input.budget.enter();
  for (let count = input.long(); count !== 0; count = input.long()) {
    if (count < 0) input.long();
    for (let left = Math.abs(Number(count)); left > 0; left--) readItem();
  }
  input.budget.leave();
}

/** Returns the reader for a logical type, or undefined if the schema has no known and valid one. */
function logical(schema: Record<string, unknown>, type: string): Read | undefined {
  const { logicalType, scale = 0, size } = schema;
  if (typeof logicalType !== 'string') return undefined;
  if (logicalType === 'decimal' && (type === 'bytes' || type === 'fixed')) {
    if (!Number.isSafeInteger(scale) || Number(scale) < 0 || Number(scale) > MAX_SCALE) return undefined;
    return (input) => decimal(type === 'fixed' ? input.take(Number(size)) : input.bytes(), Number(scale));
  }
  if (logicalType === 'date' && type === 'int') return (input) => date(input.int());
  const [, local, unit = ''] = /^(local-)?timestamp-(\w+)$/.exec(logicalType) ?? [];
  const digits = UNITS[unit];
  if (type !== 'long' || digits === undefined) return undefined;
  return (input) => time(input.long(), digits, local ? '' : 'Z');
}

function at<T>(choices: readonly T[], input: ByteInput, kind: string): T {
  const index = input.long();
  const choice = typeof index === 'number' ? choices[index] : undefined;
  if (choice === undefined) throw new UndecodableError(`the ${kind} ${index} is not in the schema`);
  return choice;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (problem: string) => new UndecodableError(`the Avro schema ${problem}`);
