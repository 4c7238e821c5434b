import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnreadableReason } from '@vitrine/kafka';
import { EVENT_SCHEMA_NAMES, PUBLISHED_SCHEMA, type Refusal } from '@vitrine/listing-events';
import {
  deadLetterConfig,
  eventsConfig,
  LARGEST_EVENT_BYTES,
  PARTITIONS,
  planReplication,
} from '@vitrine/projection/topics';
import { parse, stringify } from 'yaml';
import release from '../package.json' with { type: 'json' };

// `npm run asyncapi` updates the parts of asyncapi.yaml that follow from the code: the version, the event
// schemas, the topic settings, and the reasons for dead letters. People write the file's other parts. The
// build of the pages converts the file to JSON, which the query service serves.

const ROOT = join(import.meta.dirname, '..');
const HEADER =
  '# `npm run asyncapi` updates the version, schemas, keys, topic settings and dead-letter reasons.\n';

/** The reasons for dead letters that the code knows, with their meanings. */
const REASONS: Record<Refusal | UnreadableReason | 'refused-by-index' | 'listing-failed', string> = {
  'too-large': 'The value exceeds 1 MiB.',
  'too-deep': 'The JSON is nested deeper than 32 levels.',
  'not-utf8': 'The key, the value or a header is not UTF-8.',
  'not-json': 'The value is not JSON.',
  'not-an-object': 'The value is JSON but not an object.',
  schema: 'The event does not match its schema.',
  'key-mismatch': 'The key differs from the subject.',
  'tombstone-without-version':
    'A record with a null value has no valid header `version`, or an invalid `version-epoch`.',
  'version-too-high': 'The version is above the bound that the setting MAX_VERSION states.',
  unprocessable: 'The projector code failed unexpectedly.',
  'refused-by-index': 'Elasticsearch refused the document.',
  'listing-failed':
    "A rebuild or a verification could not derive a listing's item. The value is the listing's state.",
  'batch-too-large': 'The record batch would need too much memory. The value is the whole batch.',
  'undecodable-batch': 'The projector cannot read the record batch. The value is the whole batch.',
};

type Json = Record<string, unknown>;
interface Schema {
  properties?: Json;
}
interface Message {
  payload: unknown;
  headers?: { properties: Record<string, unknown> };
  bindings?: { kafka: { key: Json } };
}
interface AsyncApi {
  info: { version: string };
  channels: Record<'listingEvents' | 'deadLetters', { bindings: { kafka: Json } }>;
  components: { messages: Record<string, Message>; schemas: unknown };
}

/** The contract for both topics as an AsyncAPI 3 document. @throws if an event type has no message */
export function asyncApiDocument(): AsyncApi {
  const document = parse(readFileSync(join(ROOT, 'asyncapi.yaml'), 'utf8')) as AsyncApi;
  const { listingEvents, deadLetters } = document.channels;
  const { messages } = document.components;
  document.info.version = release.version;
  Object.assign(
    listingEvents.bindings.kafka,
    topicSettings(eventsConfig(planReplication(3).minInsyncReplicas)),
  );
  Object.assign(deadLetters.bindings.kafka, topicSettings(deadLetterConfig(LARGEST_EVENT_BYTES)));
  const schemas = moved(PUBLISHED_SCHEMA.$defs) as Record<string, Schema>;
  const events = EVENT_SCHEMA_NAMES.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const { title, description, required, allOf } = PUBLISHED_SCHEMA;
  const types = allOf.map(({ if: condition }) => condition.properties.type.const);
  document.components.schemas = {
    listingEvent: {
      title,
      description,
      type: 'object',
      required: ['type'],
      // Generators build one enumeration from this list, and name the enumeration after the title.
      properties: { type: { title: 'Event type', type: 'string', enum: types } },
      discriminator: 'type',
      oneOf: events,
    },
    ...schemas,
  };

  for (const name of EVENT_SCHEMA_NAMES) {
    const { type, data, ...attributes } = schemas[name]?.properties ?? {};
    const message = `listing${name[0]?.toUpperCase()}${name.slice(1, -'Event'.length)}Binary`;
    const binary = messages[message];
    if (!binary?.headers) throw new Error(`asyncapi.yaml needs the message ${message}`);
    binary.payload = data;
    for (const attribute of required.filter((name) => name !== 'data'))
      binary.headers.properties[`ce_${attribute}`] = attribute === 'type' ? type : attributes[attribute];
  }
  for (const { bindings } of Object.values(messages))
    if (bindings)
      bindings.kafka.key = { ...schemas['listingId'], description: bindings.kafka.key['description'] };
  Object.assign(messages['deadLetter']?.headers?.properties['dead-letter-reason'] as Json, {
    enum: Object.keys(REASONS),
    description: Object.entries(REASONS)
      .map(([reason, meaning]) => `${reason}: ${meaning}`)
      .join('\n'),
  });
  return document;
}

/**
 * The settings of a topic. AsyncAPI expects numbers and a list of policies, whereas Kafka uses strings.
 * AsyncAPI has no field for `min.insync.replicas`.
 */
function topicSettings(config: { name: string; value: string }[]): Json {
  const settings = config
    .filter(({ name }) => name !== 'min.insync.replicas')
    .map(({ name, value }) => [name, name === 'cleanup.policy' ? [value] : Number(value)]);
  const { replicationFactor: replicas } = planReplication(3);
  return { partitions: PARTITIONS, replicas, topicConfiguration: Object.fromEntries(settings) };
}

/** Changes the JSON Schema's references to their place in this document. */
const moved = (part: unknown): unknown =>
  JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/'));

/** The text of asyncapi.yaml. */
export const asyncApiYaml = (): string =>
  HEADER + stringify(asyncApiDocument(), { lineWidth: 120, aliasDuplicateObjects: false });

if (import.meta.main) writeFileSync(join(ROOT, 'asyncapi.yaml'), asyncApiYaml());
