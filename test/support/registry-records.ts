import avsc from 'avsc';
import protobuf from 'protobufjs';

interface Reference {
  name: string;
  subject: string;
  version: number;
}

/** Registers a schema in a schema registry. @returns its id */
export async function registerSchema(
  registryUrl: string,
  subject: string,
  schema: { schemaType?: 'AVRO' | 'PROTOBUF' | 'JSON'; schema: string; references?: Reference[] },
): Promise<number> {
  const response = await fetch(`${registryUrl}/subjects/${encodeURIComponent(subject)}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify(schema),
  });
  if (!response.ok) throw new Error(`the registry refused ${subject}: ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
}

/** A value in the wire format of schema registries. @param position the message indexes of Protobuf */
export function framed(id: number, bytes: Uint8Array, position: readonly number[] = []): Buffer {
  const header = Buffer.alloc(5);
  header.writeInt32BE(id, 1);
  return Buffer.concat([header, Buffer.from(position), bytes]);
}

/** Encodes with avsc, which shares no code with the product. @param references schemas that `schema` uses */
export function avroBytes(schema: object, value: object, references: readonly object[] = []): Buffer {
  const registry = {};
  for (const reference of references) avsc.Type.forSchema(reference as avsc.Schema, { registry });
  return avsc.Type.forSchema(schema as avsc.Schema, { registry, wrapUnions: false }).toBuffer(value);
}

/** Encodes with the code that protobufjs generates, which the product does not use. */
export function protobufBytes(files: readonly string[], type: string, value: object): Uint8Array {
  const root = new protobuf.Root();
  for (const file of files) protobuf.parse(file, root, { keepCase: true });
  const message = root.lookupType(type);
  return message.encode(message.fromObject(value)).finish();
}
