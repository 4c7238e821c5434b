import { Agent, request } from 'undici';
import { DecoderUnavailableError, UndecodableError } from './format.ts';
import type { SchemaFile } from './protobuf-schema.ts';

/** The registry's address, the service's credentials, and the trusted authorities. */
export interface RegistryConnection {
  /** The address of an API that is compatible with Confluent's. It contains no credentials. */
  registryUrl: string;
  auth?: { username: string; password: string } | { token: string };
  /** The trusted authorities in PEM format. The default is Node's own list. */
  ca?: string;
  /** How long one request may last, in milliseconds. The default is 10,000. */
  timeoutMs?: number;
}

/** A schema with all schemas that it uses. Each of these follows the schemas that it needs. */
export interface RegisteredSchema {
  readonly type: string;
  readonly text: string;
  readonly references: readonly SchemaFile[];
}

/** The registry refuses the credentials. The ingest waits until an operator corrects the settings. */
export class RegistryRefusedError extends DecoderUnavailableError {
  override readonly name = 'RegistryRefusedError';
}

/** The registry does not know a schema. An instance that has not read its store yet gives the same answer. */
export class UnknownSchemaError extends UndecodableError {
  override readonly name = 'UnknownSchemaError';
}

interface Reference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

export interface SchemaRegistry {
  /**
   * Requests a schema and those that it uses.
   * @param id a positive integer of 31 bits
   * @throws UnknownSchemaError if the registry has no such schema
   * @throws UndecodableError if the schema is too large
   * @throws DecoderUnavailableError if the registry returns no usable response
   */
  schema(id: number): Promise<RegisteredSchema>;
  close(): Promise<void>;
}

/** One schema with its references is at most this long, so that no schema fills the memory. */
const MAX_SCHEMA_BYTES = 2 * 1024 * 1024;
const MAX_REFERENCES = 100;
/** The codes with which Confluent's registry API reports an unknown schema, subject or version. */
const NOT_FOUND = [40_401, 40_402, 40_403];

/** A client for the two requests that decoding needs. It never follows a redirect with the credentials. */
export function connectSchemaRegistry(connection: RegistryConnection): SchemaRegistry {
  const { registryUrl, auth, ca, timeoutMs = 10_000 } = connection;
  const dispatcher = new Agent({
    ...(ca !== undefined && { connect: { ca } }),
    maxResponseSize: 2 * MAX_SCHEMA_BYTES,
  });
  const headers = {
    accept: 'application/vnd.schemaregistry.v1+json, application/json',
    ...authorization(auth),
  };

  const ask = async (path: string): Promise<Record<string, unknown>> => {
    const url = `${registryUrl.replace(/\/+$/, '')}${path}`;
    try {
      const { statusCode, body } = await request(url, {
        dispatcher,
        headers,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return answer(path, statusCode, await body.text());
    } catch (error) {
      if (error instanceof UndecodableError || error instanceof DecoderUnavailableError) throw error;
      if ((error as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') throw tooLarge();
      throw new DecoderUnavailableError(`the schema registry does not answer: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };

  const resolve = async (needed: readonly Reference[], found: Map<string, string>): Promise<void> => {
    for (const { name, subject, version } of needed) {
      if (found.has(name)) continue;
      // This entry ends a cycle of references. The schema's text replaces the entry when the schemas that the
      // text needs are known.
      found.set(name, '');
      if (found.size > MAX_REFERENCES)
        throw new UndecodableError(`the schema refers to more than ${MAX_REFERENCES} other schemas`);
      const reference = await ask(`/subjects/${encodeURIComponent(subject)}/versions/${version}`);
      await resolve(referencesOf(reference), found);
      found.delete(name);
      found.set(name, textOf(reference));
      if ([...found.values()].join('').length > MAX_SCHEMA_BYTES) throw tooLarge();
    }
  };

  return {
    async schema(id) {
      const schema = await ask(`/schemas/ids/${id}`);
      const found = new Map<string, string>();
      await resolve(referencesOf(schema), found);
      const references = [...found].map(([name, text]) => ({ name, text }));
      return { type: typeOf(schema), text: textOf(schema), references };
    },
    close: () => dispatcher.close(),
  };
}

function authorization(auth: RegistryConnection['auth']): { authorization?: string } {
  if (auth === undefined) return {};
  if ('token' in auth) return { authorization: `Bearer ${auth.token}` };
  const user = Buffer.from(`${auth.username}:${auth.password}`).toString('base64');
  return { authorization: `Basic ${user}` };
}

function answer(path: string, status: number, text: string): Record<string, unknown> {
  const body = parse(text);
  if (status === 401 || status === 403)
    throw new RegistryRefusedError(`the schema registry refuses the credentials (HTTP ${status})`);
  // Any other 404 comes from a wrong address, which must not turn all records into dead letters.
  if (status === 404 && NOT_FOUND.includes(Number(body?.error_code)))
    throw new UnknownSchemaError(`the schema registry has nothing at ${path}`);
  if (status !== 200)
    throw new DecoderUnavailableError(`the schema registry returned HTTP ${status} for ${path}`);
  if (body === undefined)
    throw new DecoderUnavailableError(
      `the response to ${path} does not come from a schema registry: it is not a JSON object`,
    );
  return body;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A missing type means Avro, the only type in the first registries. */
const typeOf = ({ schemaType }: Record<string, unknown>): string => String(schemaType ?? 'AVRO');

function textOf({ schema }: Record<string, unknown>): string {
  if (typeof schema !== 'string')
    throw new DecoderUnavailableError('a response from the schema registry contains no schema');
  if (schema.length > MAX_SCHEMA_BYTES) throw tooLarge();
  return schema;
}

function referencesOf({ references }: Record<string, unknown>): Reference[] {
  return Array.isArray(references) ? references.filter(isReference) : [];
}

const isReference = (value: Partial<Reference> | null): value is Reference =>
  typeof value?.name === 'string' && typeof value.subject === 'string' && Number.isInteger(value.version);

const tooLarge = () =>
  new UndecodableError(
    `the schema, together with the schemas that it uses, exceeds ${MAX_SCHEMA_BYTES} bytes`,
  );
