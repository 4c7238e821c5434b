import type { JsonSchema, Operation } from '@vitrine/web';
import { DOCUMENT_HEADERS } from './openapi-headers.ts';
import { reference } from './openapi-parts.ts';
import { responsesTo } from './openapi-responses.ts';

export const EVENTS_TAG = {
  name: 'events',
  description:
    'The contract of the events that a marketplace publishes to Kafka. Code generators build classes for a ' +
    'producer from these documents.',
};

/** The schemas of the documents, by component name. */
export const EVENTS_SCHEMAS: Record<string, JsonSchema> = {
  JsonSchemaDocument: { type: 'object', description: 'A schema in the form of JSON Schema 2020-12.' },
  AsyncApiDocument: { type: 'object', description: 'A document in the form of AsyncAPI 3.0.' },
};

const document = (
  about: Omit<Operation, 'tags' | 'parameters' | 'responses'>,
  type: string,
  schema: string,
) => ({
  get: {
    ...about,
    tags: [EVENTS_TAG.name],
    parameters: [reference('parameters', 'IfNoneMatch')],
    responses: {
      200: {
        description: 'The document.',
        headers: { ...DOCUMENT_HEADERS, 'Content-Encoding': reference('headers', 'ContentEncoding') },
        content: { [type]: { schema: reference('schemas', schema) } },
      },
      304: reference('responses', 'DocumentNotModified'),
      ...responsesTo(429, 'default'),
    },
  },
});

export const SCHEMA_TYPE = 'application/schema+json';

/** Describes the documents about events, by path. */
export const EVENTS_PATHS: Record<string, { get: Operation }> = {
  '/listing-event.schema.json': document(
    {
      operationId: 'getListingEventSchema',
      summary: 'JSON Schema of listing events',
      description: 'Validates an event of any type, and has one schema per event type in `$defs`.',
    },
    SCHEMA_TYPE,
    'JsonSchemaDocument',
  ),
  '/asyncapi.json': document(
    {
      operationId: 'getAsyncApiDocument',
      summary: 'AsyncAPI document of the topics',
      description:
        'The topics of listing events and of dead letters, with their messages, settings and examples.',
    },
    'application/json',
    'AsyncApiDocument',
  ),
};
