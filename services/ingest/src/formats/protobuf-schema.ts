import protobuf from 'protobufjs';
import { UndecodableError } from './format.ts';

/** A schema that another schema imports, and the name that the import uses. */
export interface SchemaFile {
  readonly name: string;
  readonly text: string;
}

/** Files that producers import without a reference, because Confluent's registry knows them. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  'confluent/meta.proto': '',
  'confluent/type/decimal.proto':
    'syntax = "proto3"; package confluent.type; message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }',
  'google/type/date.proto':
    'syntax = "proto3"; package google.type; message Date { int32 year = 1; int32 month = 2; int32 day = 3; }',
};

/**
 * protobufjs parses a schema of this length in about a second. The time grows with the square of the number
 * of fields in a message (4,000 took 10 s) and of parts in an option (75,000 took a minute). It also grows
 * with the number of escaped quotation marks times the length of an unterminated string.
 */
const MAX_CHARACTERS = 512 * 1024;
const LIMITS = [
  { what: 'words and signs', pattern: /\w+|[^\s\w]/g, most: 20_000 },
  { what: 'statements', pattern: /[;{]/g, most: 2_000 },
  { what: 'backslashes', pattern: /\\/g, most: 200 },
];

/**
 * Parses a schema and its imports.
 * @param references the files that `schema` imports, directly or through others
 * @returns the messages that `schema` declares outside of other messages, in order of declaration
 * @throws UndecodableError if a file is invalid, or uses a type that no file declares
 */
export function parseProtobuf(schema: string, references: readonly SchemaFile[]): protobuf.Type[] {
  assertModest([schema, ...references.map(({ text }) => text)].join('\n'));
  try {
    const root = new protobuf.Root();
    const main = protobuf.parse(schema, root, { keepCase: true });
    // The list must be complete before the other files are parsed, because they may belong to the same
    // package.
    const { nestedArray } = main.package === undefined ? root : root.define(main.package);
    const messages = nestedArray.filter((nested) => nested instanceof protobuf.Type);
    const missing = new Set(main.imports);
    for (const { text } of references)
      for (const name of protobuf.parse(text, root, { keepCase: true }).imports ?? []) missing.add(name);
    for (const { name } of references) missing.delete(name);
    for (const name of missing) addWellKnown(name, root);
    root.resolveAll();
    return messages;
  } catch (error) {
    throw new UndecodableError(`the Protobuf schema is invalid: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function assertModest(text: string): void {
  if (text.length > MAX_CHARACTERS)
    throw new UndecodableError(`the Protobuf schema has more than ${MAX_CHARACTERS} characters`);
  for (const { what, pattern, most } of LIMITS)
    if ((text.match(pattern)?.length ?? 0) > most)
      throw new UndecodableError(`the Protobuf schema has more than ${most} ${what}`);
}

/** An unknown import alone is not an error, because it might declare nothing but options. */
function addWellKnown(name: string, root: protobuf.Root): void {
  const text = Object.hasOwn(WELL_KNOWN, name) ? WELL_KNOWN[name] : undefined;
  const file = protobuf.common.get(name);
  if (text !== undefined) protobuf.parse(text, root, { keepCase: true });
  else if (file?.nested) root.addJSON(file.nested);
}
