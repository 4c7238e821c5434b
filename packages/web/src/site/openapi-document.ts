/** The part of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApi {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, { description: string }>;
    responses: Record<string, Response>;
    examples: Record<string, Example>;
  };
}
interface Reference {
  $ref: string;
}
export interface Example {
  summary: string;
  value: unknown;
}
interface Operation {
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
  schema: Schema;
  example?: unknown;
}
export interface Response {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, { schema: Schema; examples?: Record<string, Example | Reference> }>;
}
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
