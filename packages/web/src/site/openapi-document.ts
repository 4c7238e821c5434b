/** The parts of an OpenAPI 3.1 document that the service writes and the reference reads. */
export interface OpenApi {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
    contact: { name: string; url?: string };
  };
  servers: { url: string; description: string }[];
  security: [];
  tags: { name: string; description: string }[];
  paths: Record<string, { get: Operation }>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
    examples: Record<string, Example>;
  };
}
export interface Reference {
  $ref: string;
}
export interface Example {
  summary: string;
  value: unknown;
}
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: Reference[];
  responses: Record<string, Response | Reference>;
}
export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  description: string;
  required?: boolean;
  deprecated?: boolean;
  allowEmptyValue?: boolean;
  schema: JsonSchema;
  example?: unknown;
}
export interface Header {
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: string;
}
export interface Response {
  description: string;
  headers: Record<string, Reference>;
  content?: Record<string, { schema: Reference; examples?: Record<string, Example | Reference> }>;
}
export type JsonSchema = { readonly [keyword: string]: unknown };
/** The keywords of a schema that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  required?: string[];
  properties?: Record<string, Schema>;
  description?: string;
}

/** An operation and its address in the reference. */
export interface ReferencedOperation {
  path: string;
  method: string;
  operation: Operation;
}

export const operationsOf = ({ paths }: OpenApi): ReferencedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** The name of the component to which a reference points. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** Follows a reference within the document. @throws Error if the document has no such component */
export function resolve<T extends object>({ components }: OpenApi, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = (components as unknown as Record<string, Record<string, T>>)[kind]?.[name];
  if (!found) throw new Error(`the OpenAPI document has no ${value.$ref}`);
  return found;
}
