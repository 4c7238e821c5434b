import type { Refusal } from '@vitrine/listing-events';
import schema from '../packages/listing-events/src/listing-event.schema.json' with { type: 'json' };
import type { UnreadableReason } from '../services/projector/src/batch-content.ts';

/** A part of the document. */
export type Json = Record<string, unknown>;

/** Why a record becomes a dead letter: every word that the code knows. */
const REASONS: Record<Refusal | UnreadableReason | 'refused-by-index' | 'listing-failed', string> = {
  'too-large': 'the value has more than 1 MiB',
  'too-deep': 'nested deeper than 32',
  'not-utf8': 'key, value or a header is not UTF-8',
  'not-json': 'the value is no JSON',
  'not-an-object': 'the value is JSON, but no object',
  schema: 'the event does not match its schema',
  'key-mismatch': 'the key is not the subject',
  'tombstone-without-version': 'a null value needs the header `version`',
  unprocessable: 'the code could not cope with it',
  'refused-by-index': 'Elasticsearch refused the document',
  'listing-failed': 'a rebuild or verification could not make the item of a listing; the value is its state',
  'batch-too-large': 'the batch would take too much memory; the value is the whole record batch',
  'undecodable-batch': 'the batch cannot be read; the value is the whole record batch',
};

/** A type of event: its name, its data, and one that is accepted. */
const TYPES = [
  {
    name: 'snapshot',
    summary: 'The whole listing: a field that is left out is cleared; a calendar replaces the former, none leaves it.',
    example: {
      version: 7,
      listing: {
        ad_type: 'rent',
        title: 'Casa na praia',
        price: 380,
        location: { city: 'Florianópolis', state: 'SC', lat: -27.59, lng: -48.55 },
        provider: { name: 'Ana Lima' },
        url: 'https://www.vitrine.example/catalogo/rent-1260',
        availability: [{ date: '2026-12-24', available: true, price: 450 }],
      },
    },
  },
  {
    name: 'changed',
    summary: 'Only these fields; null clears one. `location` and `provider` are one field each.',
    example: { version: 8, changes: { price: 350, rating: null } },
  },
  {
    name: 'availability_changed',
    summary: 'These dates (merge), or exactly these dates (replace).',
    example: { version: 9, mode: 'merge', dates: [{ date: '2026-12-25', available: false }] },
  },
  {
    name: 'removed',
    summary: 'Gone: everything at or below this version is forgotten.',
    example: { version: 10, reason: 'sold' },
  },
];

const ID = 'rent-1260';
const attributes = (type: string): Json => ({
  specversion: '1.0',
  id: '3f1c8a52',
  source: '/catalogue',
  type,
  subject: ID,
  time: '2026-11-21T12:00:00Z',
});

/** The JSON Schema's own references, as they are called in this document. */
export function moved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(moved);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, name === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : moved(value)]),
  );
}

const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const keyed = (description: string): Json => ({
  kafka: { key: { ...(schema.$defs.listingId as Json), description }, bindingVersion: '0.5.0' },
});
const headers = (properties: Json, required: string[]): Json => ({ type: 'object', properties, required });

const pascal = (name: string): string => name.replaceAll(/(^|_)([a-z])/g, (_all, _separator, letter: string) => letter.toUpperCase());

/** What the schema says of the data of this type. */
function dataOf(type: string): unknown {
  const branch = schema.allOf.find((one) => one.if.properties.type.const === type);
  if (!branch) throw new Error(`the schema does not know ${type}`);
  return moved(branch.then.properties.data);
}

function structured({ name, summary, example }: (typeof TYPES)[number]): Json {
  const type = `marketplace.listing.${name}`;
  return {
    name: type,
    title: `${pascal(name)}, structured mode`,
    summary,
    contentType: 'application/cloudevents+json',
    payload: { allOf: [schemaRef('cloudEvent'), { properties: { type: { const: type }, data: dataOf(type) } }] },
    bindings: keyed('The listing’s id; equals `subject`.'),
    examples: [{ name: `${name}Structured`, payload: { ...attributes(type), data: example } }],
  };
}

function binary({ name, summary, example }: (typeof TYPES)[number]): Json {
  const type = `marketplace.listing.${name}`;
  const inHeaders = schema.required.filter((attribute) => attribute !== 'data');
  const property = (attribute: string): unknown => moved(attribute === 'type' ? { const: type } : schema.properties[attribute as 'id']);
  return {
    name: type,
    title: `${pascal(name)}, binary mode`,
    summary: `${summary} Attributes in headers, data as the value.`,
    contentType: 'application/json',
    headers: headers(
      {
        'content-type': { type: 'string', pattern: '^application/json(\\s*;.*)?$' },
        ...Object.fromEntries(inHeaders.map((attribute) => [`ce_${attribute}`, property(attribute)])),
      },
      inHeaders.map((attribute) => `ce_${attribute}`),
    ),
    payload: dataOf(type),
    bindings: keyed('The listing’s id; equals `ce_subject`.'),
    examples: [
      {
        name: `${name}Binary`,
        headers: {
          'content-type': 'application/json',
          ...Object.fromEntries(Object.entries(attributes(type)).map(([attribute, value]) => [`ce_${attribute}`, value])),
        },
        payload: example,
      },
    ],
  };
}

const tombstone: Json = {
  name: 'tombstone',
  title: 'Tombstone',
  summary: 'A null value: `removed` at the version in the header. Without that header it is a dead letter.',
  headers: headers({ version: { type: 'string', pattern: '^[0-9]{1,16}$', description: 'An integer from 1 to 2^53-1.' } }, ['version']),
  payload: { type: 'null' },
  bindings: keyed('The listing’s id.'),
  examples: [{ name: 'tombstone', headers: { version: '11' }, payload: null }],
};

const text = (description: string): Json => ({ type: 'string', description });
const originHeaders: Json = {
  'dead-letter-topic': text('Where the record stood: its topic,'),
  'dead-letter-partition': { type: 'string', pattern: '^[0-9]+$', description: 'partition,' },
  'dead-letter-offset': { type: 'string', pattern: '^[0-9]+$', description: 'and offset.' },
  'dead-letter-time': { type: 'string', format: 'date-time', description: 'When the letter was written.' },
};

const deadLetter: Json = {
  name: 'deadLetter',
  title: 'Dead letter',
  summary: 'A record that could not become part of the projection: key, value and headers byte for byte, and these headers beside its own.',
  contentType: 'application/octet-stream',
  headers: headers(
    {
      'dead-letter-reason': {
        type: 'string',
        enum: Object.keys(REASONS),
        description: Object.entries(REASONS)
          .map(([reason, meaning]) => `${reason}: ${meaning}`)
          .join('\n'),
      },
      'dead-letter-detail': text('A sentence for a person.'),
      ...originHeaders,
      'dead-letter-null-headers': text('The record’s headers whose value was null, with comma and space between; they are written as empty.'),
    },
    ['dead-letter-reason', 'dead-letter-detail', ...Object.keys(originHeaders)],
  ),
  payload: { description: 'The value as it was: any bytes, or null.' },
};

const retried: Json = {
  name: 'deadLetterRetried',
  title: 'Mark of a retried dead letter',
  summary: 'Says that `dead-letters retry` sent a letter’s record again. It has no value, and no `dead-letter-reason`.',
  headers: headers(
    {
      'dead-letter-retried': { type: 'string', pattern: '^[0-9]+:[0-9]+$', description: 'The letter, as partition:offset in this topic.' },
      ...originHeaders,
    },
    ['dead-letter-retried', ...Object.keys(originHeaders)],
  ),
  payload: { type: 'null' },
};

/** Every message of both topics, by its name in the document. */
export const messages: Json = {
  ...Object.fromEntries(TYPES.map((type) => [`listing${pascal(type.name)}`, structured(type)])),
  ...Object.fromEntries(TYPES.map((type) => [`listing${pascal(type.name)}Binary`, binary(type)])),
  tombstone,
  deadLetter,
  deadLetterRetried: retried,
};
/** Those of the dead-letter topic. */
export const LETTERS = ['deadLetter', 'deadLetterRetried'];
