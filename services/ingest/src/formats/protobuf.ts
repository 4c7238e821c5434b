import protobuf from 'protobufjs';
import { type Budget, setMember } from './budget.ts';
import { UndecodableError } from './format.ts';
import { integer, knownValue } from './protobuf-known-types.ts';
import { parseProtobuf, type SchemaFile } from './protobuf-schema.ts';

const { Enum, MapField, Reader, Type } = protobuf;
type Members = Record<string, unknown>;
type Read = (reader: protobuf.Reader, budget: Budget, previous?: unknown) => unknown;

const LENGTH = 2;
const GROUP = 3;
const END_GROUP = 4;

/** What the decoder needs to know about a field. */
interface Field {
  readonly name: string;
  readonly wire: number;
  readonly read: Read;
  readonly kind: 'one' | 'list' | 'map';
  /** The value of an absent field, if the field has no presence. */
  readonly preset: (() => unknown) | undefined;
  /** The other members of the field's `oneof`. */
  readonly others: readonly string[];
}

interface Message {
  readonly name: string;
  readonly fields: ReadonlyMap<number, Field>;
}

const SCALARS: Readonly<Record<string, { wire: number; preset: unknown; read: Read }>> = {
  double: { wire: 1, preset: 0, read: (reader) => reader.double() },
  fixed64: { wire: 1, preset: 0, read: (reader) => integer(reader.fixed64()) },
  sfixed64: { wire: 1, preset: 0, read: (reader) => integer(reader.sfixed64()) },
  float: { wire: 5, preset: 0, read: (reader) => reader.float() },
  fixed32: { wire: 5, preset: 0, read: (reader) => reader.fixed32() },
  sfixed32: { wire: 5, preset: 0, read: (reader) => reader.sfixed32() },
  int32: { wire: 0, preset: 0, read: (reader) => reader.int32() },
  uint32: { wire: 0, preset: 0, read: (reader) => reader.uint32() },
  sint32: { wire: 0, preset: 0, read: (reader) => reader.sint32() },
  int64: { wire: 0, preset: 0, read: (reader) => integer(reader.int64()) },
  uint64: { wire: 0, preset: 0, read: (reader) => integer(reader.uint64()) },
  sint64: { wire: 0, preset: 0, read: (reader) => integer(reader.sint64()) },
  bool: { wire: 0, preset: false, read: (reader) => reader.bool() },
  string: { wire: LENGTH, preset: '', read: (reader) => reader.stringVerify() },
  bytes: { wire: LENGTH, preset: Buffer.alloc(0), read: (reader) => Buffer.from(reader.bytes()) },
};

/**
 * Prepares the decoding of Protobuf messages. protobufjs parses the schema and reads single values. This
 * module reads the messages, because protobufjs would generate code for each type, and its conversion to
 * plain objects is unbounded (decision 0112).
 *
 * Members have the names that the schema uses (`ad_type`, not `adType`). A 64-bit integer beyond 2^53 becomes
 * a bigint, an enum value its name (an unknown value stays a number), `bytes` a Buffer, and a map an object.
 * If a record has several members of a `oneof`, only the last one is present. A field without presence has
 * its default value. `google.protobuf.Timestamp` becomes a time in RFC 3339, `google.type.Date` a date,
 * `confluent.type.Decimal` a decimal string, and a wrapper such as `google.protobuf.StringValue` its value.
 * @param references the files that `schema` imports, directly or through others
 * @returns a function that takes a message's position in the schema and the message's bytes
 * @throws UndecodableError if a schema is invalid
 */
export function compileProtobuf(
  schema: string,
  references: readonly SchemaFile[],
): (position: readonly number[], bytes: Buffer, budget: Budget) => unknown {
  const top = parseProtobuf(schema, references);
  const known = new Map<protobuf.Type, Message>();
  return (position, bytes, budget) => {
    const type = messageAt(top, position);
    try {
      return readFields(describe(type, known), Reader.create(bytes), budget, {}, false);
    } catch (error) {
      if (error instanceof UndecodableError) throw error;
      throw new UndecodableError(`the bytes are not a valid ${type.fullName.slice(1)} message`, {
        cause: error,
      });
    }
  };
}

function messageAt(top: readonly protobuf.Type[], position: readonly number[]): protobuf.Type {
  let types = top;
  let found: protobuf.Type | undefined;
  for (const index of position) {
    found = types[index];
    if (found === undefined) break;
    types = found.nestedArray.filter((nested) => nested instanceof Type);
  }
  if (found === undefined)
    throw new UndecodableError(`the schema has no message at position ${position.join('.')}`);
  return found;
}

function describe(type: protobuf.Type, known: Map<protobuf.Type, Message>): Message {
  const before = known.get(type);
  if (before) return before;
  const fields = new Map(type.fieldsArray.map((field) => [field.id, describeField(field, known)]));
  const message = { name: type.fullName, fields };
  known.set(type, message);
  return message;
}

function describeField(field: protobuf.Field, known: Map<protobuf.Type, Message>): Field {
  const { wire, read, preset } = describeValue(field, known);
  const common = { name: field.name, others: [] };
  if (field instanceof MapField) {
    const key = SCALARS[field.keyType];
    if (!key) throw new UndecodableError(`the map ${field.name} has no valid key`);
    const entry: Message = {
      name: `${field.fullName}Entry`,
      fields: new Map([
        [
          1,
          { ...common, name: 'key', wire: key.wire, read: key.read, kind: 'one', preset: () => key.preset },
        ],
        [2, { ...common, name: 'value', wire, read, kind: 'one', preset }],
      ]),
    };
    return {
      ...common,
      wire: LENGTH,
      read: messageReader(() => entry, false),
      kind: 'map',
      preset: () => ({}),
    };
  }
  if (field.repeated) return { ...common, wire, read, kind: 'list', preset: () => [] };
  const others = (field.partOf?.oneof ?? []).filter((name) => name !== field.name);
  return {
    name: field.name,
    others,
    wire,
    read,
    kind: 'one',
    preset: field.hasPresence ? undefined : preset,
  };
}

function describeValue(
  field: protobuf.Field,
  known: Map<protobuf.Type, Message>,
): Pick<Field, 'wire' | 'read' | 'preset'> {
  const { resolvedType: type } = field;
  if (type instanceof Enum) {
    const name = (value: number) => type.valuesById[value] ?? value;
    return {
      wire: 0,
      read: (reader) => name(reader.int32()),
      preset: () => name(Object.values(type.values)[0] ?? 0),
    };
  }
  if (type instanceof Type) {
    // The type is described only when a record first contains it, because a chain of types can have any
    // length.
    const read = messageReader(() => describe(type, known), field.delimited);
    return { wire: field.delimited ? GROUP : LENGTH, read, preset: undefined };
  }
  const scalar = SCALARS[field.type];
  if (!scalar) throw new UndecodableError(`the field ${field.name} has no valid type`);
  return { ...scalar, preset: () => scalar.preset };
}

/** Later occurrences of a message add to the earlier ones, as Protobuf's encoding requires. */
const messageReader =
  (message: () => Message, isGroup: boolean): Read =>
  (reader, budget, previous) => {
    const value = isMembers(previous) ? previous : {};
    return readFields(message(), isGroup ? reader : Reader.create(reader.bytes()), budget, value, isGroup);
  };

function readFields(
  { name: messageName, fields }: Message,
  reader: protobuf.Reader,
  budget: Budget,
  value: Members,
  isGroup: boolean,
): unknown {
  budget.enter();
  // An empty message costs as many values as it has fields, because absent fields have values.
  budget.spend(1 + fields.size);
  while (isGroup || reader.pos < reader.len) {
    const tag = reader.tag();
    const wire = tag & 7;
    const field = fields.get(tag >>> 3);
    if (isGroup && wire === END_GROUP) break;
    if (field !== undefined && wire === field.wire) readField(field, value, reader, budget);
    else if (field?.kind === 'list' && wire === LENGTH) {
      const packed = Reader.create(reader.bytes());
      while (packed.pos < packed.len) readField(field, value, packed, budget);
    } else reader.skipType(wire, 0, tag >>> 3);
  }
  for (const { name, preset } of fields.values())
    if (preset && !Object.hasOwn(value, name)) setMember(value, name, preset());
  budget.leave();
  return knownValue(messageName, value);
}

function readField(field: Field, value: Members, reader: protobuf.Reader, budget: Budget): void {
  const { name, kind } = field;
  budget.spend(1);
  for (const other of field.others) delete value[other];
  const previous = Object.hasOwn(value, name) ? value[name] : undefined;
  const read = field.read(reader, budget, kind === 'one' ? previous : undefined);
  if (kind === 'one') setMember(value, name, read);
  else if (kind === 'list') {
    if (Array.isArray(previous)) previous.push(read);
    else setMember(value, name, [read]);
  } else {
    const { key, value: entry } = read as { key: unknown; value: unknown };
    const map = (previous ?? {}) as Members;
    setMember(map, String(key), entry);
    setMember(value, name, map);
  }
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
