import type { UnreadableReason } from '@vitrine/kafka';
import type { Refusal } from '@vitrine/listing-events';
import schema from '../packages/listing-events/src/listing-event.schema.json' with { type: 'json' };

/** A part of the document. */
export type Json = Record<string, unknown>;

/** The reasons for dead letters that the code knows, with their meanings. */
const REASONS: Record<Refusal | UnreadableReason | 'refused-by-index' | 'listing-failed', string> = {
  'too-large': 'The value exceeds 1 MiB.',
  'too-deep': 'The JSON is nested deeper than 32 levels.',
  'not-utf8': 'The key, the value or a header is not UTF-8.',
  'not-json': 'The value is not JSON.',
  'not-an-object': 'The value is JSON but not an object.',
  schema: 'The event does not match its schema.',
  'key-mismatch': 'The key differs from the subject.',
  'tombstone-without-version': 'A record with a null value has no valid header `version`.',
  unprocessable: 'The projector code failed unexpectedly.',
  'refused-by-index': 'Elasticsearch refused the document.',
  'listing-failed':
    "A rebuild or a verification could not derive a listing's item. The value is the listing's state.",
  'batch-too-large': 'The record batch would need too much memory. The value is the whole batch.',
  'undecodable-batch': 'The projector cannot read the record batch. The value is the whole batch.',
};

/** The event types, each with an accepted example. */
const TYPES = [
  {
    name: 'snapshot',
    summary:
      'Contains the whole listing, and clears each field that it does not contain. `availability`, if ' +
      'present, replaces the calendar.',
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
    summary:
      'Changes only the named fields. `null` clears a field. `location` and `provider` are one field each.',
    example: { version: 8, changes: { price: 350, rating: null } },
  },
  {
    name: 'availability_changed',
    summary:
      'Changes only the named dates (`merge`), or replaces the whole calendar with the named dates (`replace`).',
    example: { version: 9, mode: 'merge', dates: [{ date: '2026-12-25', available: false }] },
  },
  {
    name: 'removed',
    summary: 'Removes the listing with all content at or below this version.',
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

/** Moves the references of the JSON Schema to their place in this document. */
export function moved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(moved);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : moved(value),
    ]),
  );
}

const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const keyed = (description: string): Json => ({
  kafka: { key: { ...(schema.$defs.listingId as Json), description }, bindingVersion: '0.5.0' },
});
const headers = (properties: Json, required: string[]): Json => ({ type: 'object', properties, required });

const pascal = (name: string): string =>
  name.replaceAll(/(^|_)([a-z])/g, (_all, _separator, letter: string) => letter.toUpperCase());

/** The schema of `data` for this type. */
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
    payload: {
      allOf: [schemaRef('cloudEvent'), { properties: { type: { const: type }, data: dataOf(type) } }],
    },
    bindings: keyed('The listing id, which equals `subject`.'),
    examples: [{ name: `${name}Structured`, payload: { ...attributes(type), data: example } }],
  };
}

function binary({ name, summary, example }: (typeof TYPES)[number]): Json {
  const type = `marketplace.listing.${name}`;
  const inHeaders = schema.required.filter((attribute) => attribute !== 'data');
  const property = (attribute: string): unknown =>
    moved(attribute === 'type' ? { const: type } : schema.properties[attribute as 'id']);
  return {
    name: type,
    title: `${pascal(name)}, binary mode`,
    summary: `${summary} The headers contain the attributes, and the value contains the data.`,
    contentType: 'application/json',
    headers: headers(
      {
        'content-type': { type: 'string', pattern: '^application/json(\\s*;.*)?$' },
        ...Object.fromEntries(inHeaders.map((attribute) => [`ce_${attribute}`, property(attribute)])),
      },
      inHeaders.map((attribute) => `ce_${attribute}`),
    ),
    payload: dataOf(type),
    bindings: keyed('The listing id, which equals `ce_subject`.'),
    examples: [
      {
        name: `${name}Binary`,
        headers: {
          'content-type': 'application/json',
          ...Object.fromEntries(
            Object.entries(attributes(type)).map(([attribute, value]) => [`ce_${attribute}`, value]),
          ),
        },
        payload: example,
      },
    ],
  };
}

const tombstone: Json = {
  name: 'tombstone',
  title: 'Tombstone',
  summary:
    'A null value removes the listing at the version in the header. If this header is missing, the record ' +
    'becomes a dead letter.',
  headers: headers(
    { version: { type: 'string', pattern: '^[0-9]{1,16}$', description: 'An integer from 1 to 2^53-1.' } },
    ['version'],
  ),
  payload: { type: 'null' },
  bindings: keyed('The listing id.'),
  examples: [{ name: 'tombstone', headers: { version: '11' }, payload: null }],
};

const text = (description: string): Json => ({ type: 'string', description });
const originHeaders: Json = {
  'dead-letter-topic': text('The topic of the record.'),
  'dead-letter-partition': {
    type: 'string',
    pattern: '^[0-9]+$',
    description: 'The partition of the record.',
  },
  'dead-letter-offset': { type: 'string', pattern: '^[0-9]+$', description: 'The offset of the record.' },
  'dead-letter-time': {
    type: 'string',
    format: 'date-time',
    description: 'The time at which the projector wrote the dead letter.',
  },
};

const deadLetter: Json = {
  name: 'deadLetter',
  title: 'Dead letter',
  summary:
    'A record that the projector could not apply, with its exact key, value and headers, and with these ' +
    'additional headers.',
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
      'dead-letter-detail': text('A sentence that explains the reason.'),
      ...originHeaders,
      'dead-letter-topic-id': {
        type: 'string',
        pattern: '^[A-Za-z0-9_-]{22}$',
        description:
          "The id that Kafka gave the record's topic. Absent in dead letters of release 1.1.0, and if a " +
          'rebuild refused the listing and not a record.',
      },
      'dead-letter-null-headers': text(
        'The names of the headers whose values were null, separated by a comma and a space. The dead letter ' +
          'contains these headers with empty values.',
      ),
    },
    ['dead-letter-reason', 'dead-letter-detail', ...Object.keys(originHeaders)],
  ),
  payload: { description: 'The exact value of the record, which may be any bytes or null.' },
};

const retried: Json = {
  name: 'deadLetterRetried',
  title: 'Mark for a retried dead letter',
  summary:
    'Marks a dead letter whose record `dead-letters retry` sent again. The mark has no value and no ' +
    '`dead-letter-reason` header.',
  headers: headers(
    {
      'dead-letter-retried': {
        type: 'string',
        pattern: '^[0-9]+:[0-9]+$',
        description: 'The position of the dead letter, as partition:offset in this topic.',
      },
      ...originHeaders,
    },
    ['dead-letter-retried', ...Object.keys(originHeaders)],
  ),
  payload: { type: 'null' },
};

/** The messages of both topics by their names in the document. */
export const messages: Json = {
  ...Object.fromEntries(TYPES.map((type) => [`listing${pascal(type.name)}`, structured(type)])),
  ...Object.fromEntries(TYPES.map((type) => [`listing${pascal(type.name)}Binary`, binary(type)])),
  tombstone,
  deadLetter,
  deadLetterRetried: retried,
};
/** The messages of the dead-letter topic. */
export const DEAD_LETTER_MESSAGES = ['deadLetter', 'deadLetterRetried'];
