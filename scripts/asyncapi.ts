import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnreadableReason } from '@vitrine/kafka';
import { LISTING_EVENT_SCHEMA, type Refusal } from '@vitrine/listing-events';
import {
  deadLetterConfig,
  eventsConfig,
  LARGEST_EVENT_BYTES,
  PARTITIONS,
  planReplication,
} from '@vitrine/projection/topics';
import { parse, stringify } from 'yaml';
import release from '../package.json' with { type: 'json' };
import schema from '../packages/listing-events/src/listing-event.schema.json' with { type: 'json' };

// `npm run asyncapi` updates the parts of asyncapi.yaml that follow from the code: the version, the schemas of
// the events, the settings of the topics, and the reasons for dead letters. People write its other parts.

const FILE = join(import.meta.dirname, '..', 'asyncapi.yaml');
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

/** The contract of both topics as an AsyncAPI 3 document. @throws if an event type has no message */
export function asyncApiDocument(): AsyncApi {
  const document = parse(readFileSync(FILE, 'utf8')) as AsyncApi;
  const { listingEvents, deadLetters } = document.channels;
  const { messages } = document.components;
  document.info.version = release.version;
  Object.assign(
    listingEvents.bindings.kafka,
    topicSettings(eventsConfig(planReplication(3).minInsyncReplicas)),
  );
  Object.assign(deadLetters.bindings.kafka, topicSettings(deadLetterConfig(LARGEST_EVENT_BYTES)));
  const { $schema: _, $id: __, allOf: ___, $defs, ...cloudEvent } = LISTING_EVENT_SCHEMA;
  document.components.schemas = { cloudEvent: moved(cloudEvent), ...(moved($defs) as Json) };

  for (const { if: condition, then } of schema.allOf) {
    const type = condition.properties.type.const;
    const name = `listing${pascal(type.replace('marketplace.listing.', ''))}`;
    const [structured, binary] = [messages[name], messages[`${name}Binary`]];
    if (!structured || !binary?.headers) throw new Error(`asyncapi.yaml needs ${name} and ${name}Binary`);
    const data = moved(then.properties.data);
    const envelope = { $ref: '#/components/schemas/cloudEvent' };
    structured.payload = { allOf: [envelope, { properties: { type: { const: type }, data } }] };
    binary.payload = data;
    for (const attribute of schema.required.filter((required) => required !== 'data'))
      binary.headers.properties[`ce_${attribute}`] = moved(
        attribute === 'type' ? { const: type } : schema.properties[attribute as 'id'],
      );
  }
  for (const { bindings } of Object.values(messages))
    if (bindings)
      bindings.kafka.key = { ...schema.$defs.listingId, description: bindings.kafka.key['description'] };
  Object.assign(messages['deadLetter']?.headers?.properties['dead-letter-reason'] as Json, {
    enum: Object.keys(REASONS),
    description: Object.entries(REASONS)
      .map(([reason, meaning]) => `${reason}: ${meaning}`)
      .join('\n'),
  });
  return document;
}

/**
 * The settings of a topic. AsyncAPI expects numbers and a list of policies, whereas Kafka uses strings. It has
 * no field for `min.insync.replicas`.
 */
function topicSettings(config: { name: string; value: string }[]): Json {
  const settings = config
    .filter(({ name }) => name !== 'min.insync.replicas')
    .map(({ name, value }) => [name, name === 'cleanup.policy' ? [value] : Number(value)]);
  const { replicationFactor: replicas } = planReplication(3);
  return { partitions: PARTITIONS, replicas, topicConfiguration: Object.fromEntries(settings) };
}

/** Moves the references of the JSON Schema to their place in this document. */
const moved = (part: unknown): unknown =>
  JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/'));

const pascal = (name: string): string =>
  name.replaceAll(/(^|_)([a-z])/g, (_all, _separator, letter: string) => letter.toUpperCase());

/** The text of asyncapi.yaml. */
export const asyncApiYaml = (): string =>
  HEADER + stringify(asyncApiDocument(), { lineWidth: 120, aliasDuplicateObjects: false });

if (import.meta.main) writeFileSync(FILE, asyncApiYaml());
