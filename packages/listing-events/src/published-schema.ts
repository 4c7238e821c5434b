import { AD_TYPE_NAMES } from '@vitrine/feed-index/ad-types';
import schema from './listing-event.schema.json' with { type: 'json' };

const { listingFields } = schema.$defs;

/** The JSON Schema that validates events: the file beside this one, with the ad types from their table. */
export const LISTING_EVENT_SCHEMA = {
  ...schema,
  $defs: {
    ...schema.$defs,
    listingFields: {
      ...listingFields,
      properties: {
        ...listingFields.properties,
        ad_type: { title: listingFields.properties.ad_type.title, enum: [...AD_TYPE_NAMES, null] },
      },
    },
  },
};

type Json = Record<string, unknown>;

/** The schema's branch for an event type: the type, and the schema for its data. */
type Branch = (typeof schema.allOf)[number];

/**
 * The event schemas by name, one per event type. Each schema describes the whole event, because code
 * generators ignore `if` and `then`.
 */
const EVENTS: Json = Object.fromEntries(
  schema.allOf.map((branch) => [`${nameOf(branch)}Event`, event(branch)]),
);

/** The names of those schemas in PUBLISHED_SCHEMA's `$defs` that describe a whole event. */
export const EVENT_SCHEMA_NAMES: readonly string[] = Object.keys(EVENTS);

/**
 * The JSON Schema that the query service publishes. It accepts the same events as LISTING_EVENT_SCHEMA, in a
 * form from which generators build usable classes (docs/decisions/0116-schema-for-generators.md).
 */
export const PUBLISHED_SCHEMA = {
  ...LISTING_EVENT_SCHEMA,
  $defs: forGenerators({ ...LISTING_EVENT_SCHEMA.$defs, ...EVENTS }) as Json,
};

function nameOf({ if: condition }: Branch): string {
  return condition.properties.type.const
    .replace('marketplace.listing.', '')
    .replaceAll(/_([a-z])/g, (_underscore, letter: string) => letter.toUpperCase());
}

function event({ if: condition, then }: Branch): Json {
  const { type, data } = { ...condition.properties, ...then.properties };
  const { title, ...described } = definition(data) as { title: string; description?: string };
  return {
    title: `${title} event`,
    ...(described.description !== undefined && { description: described.description }),
    type: 'object',
    required: schema.required,
    properties: { ...schema.properties, type, data },
  };
}

function definition({ $ref }: { $ref: string }): Json {
  return schema.$defs[$ref.replace('#/$defs/', '') as keyof typeof schema.$defs];
}

/**
 * Adds the types that a `const` or an `enum` implies, and writes a choice between a type and null as a list
 * of types. Without these types, generators would declare such members as arbitrary objects.
 */
function forGenerators(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(forGenerators);
  const { anyOf, ...others } = part as { anyOf?: [{ $ref: string }, { type: 'null' }] };
  if (anyOf) {
    const { type, ...bounds } = definition(anyOf[0]);
    return { ...bounds, ...others, type: [type, 'null'] };
  }
  const members = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, forGenerators(value)]),
  );
  if ('const' in part) return { type: 'string', ...members };
  if ('enum' in part)
    return { type: (part.enum as unknown[]).includes(null) ? ['string', 'null'] : 'string', ...members };
  return members;
}
