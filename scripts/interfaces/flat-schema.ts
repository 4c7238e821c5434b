import { isDeepStrictEqual } from 'node:util';

/** A JSON object of a document. */
export type JsonObject = { readonly [key: string]: unknown };

/** A rule that applies only to some values, such as the data of one event type. */
interface Conditional {
  condition: unknown;
  /** The schema of the values that match the condition. */
  matching: unknown;
  /** The schema of all other values. */
  others: unknown;
}

/** A schema without references, `allOf`, `const`, boolean forms and unions. */
export interface FlatSchema {
  /** `undefined` allows every type. `number` includes `integer`. */
  types: string[] | undefined;
  /** `undefined` allows every value. */
  values: unknown[] | undefined;
  required: string[];
  properties: Record<string, unknown>;
  conditionals: Conditional[];
  /** The other keywords with their values, without annotations. */
  keywords: Record<string, unknown>;
}

/** Keywords that say nothing about which values are valid. `default` is a rule: it changes a request's meaning. */
const ANNOTATIONS = new Set([
  '$comment',
  '$defs',
  '$id',
  '$schema',
  'deprecated',
  'description',
  'discriminator',
  'example',
  'examples',
  'externalDocs',
  'readOnly',
  'title',
  'writeOnly',
]);
const STRUCTURE = new Set([
  '$ref',
  'allOf',
  'anyOf',
  'const',
  'else',
  'enum',
  'if',
  'oneOf',
  'properties',
  'required',
  'then',
  'type',
]);
/** A lower bound of two is the higher one, and an upper bound is the lower one. */
export const LOWER_BOUNDS = new Set([
  'exclusiveMinimum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
]);
export const UPPER_BOUNDS = new Set([
  'exclusiveMaximum',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
]);
const MAX_REFERENCES = 50;

const EVERY_VALUE: FlatSchema = {
  types: undefined,
  values: undefined,
  required: [],
  properties: {},
  conditionals: [],
  keywords: {},
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The part of a document to which a reference such as `#/components/schemas/Item` points. @throws if none exists */
export function resolve(document: JsonObject, node: unknown): unknown {
  let found = node;
  for (let count = 0; isObject(found) && typeof found.$ref === 'string'; count++) {
    const { $ref, ...siblings } = found;
    if (count === MAX_REFERENCES) throw new Error(`the reference ${$ref} leads to itself`);
    const target = pointed(document, $ref);
    found =
      Object.keys(siblings).length === 0
        ? target
        : { ...siblings, allOf: [target, ...listOf(siblings.allOf)] };
  }
  return found;
}

function pointed(document: JsonObject, reference: string): unknown {
  let found: unknown = document;
  for (const part of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) || Array.isArray(found) ? (found as JsonObject)[name] : undefined;
  }
  if (found === undefined || !reference.startsWith('#')) throw new Error(`${reference} does not exist`);
  return found;
}

/**
 * The alternatives of a schema: a value is valid if one of them accepts it. `oneOf` counts as `anyOf`.
 * A schema without `anyOf` and `oneOf` has one alternative. Pure.
 */
export function alternatives(document: JsonObject, node: unknown): FlatSchema[] {
  const schema = resolve(document, node);
  if (schema === false) return [];
  if (!isObject(schema)) return [EVERY_VALUE];
  const parts = [
    ...listOf(schema.allOf).map((part) => alternatives(document, part)),
    ...[schema.anyOf, schema.oneOf]
      .filter(Array.isArray)
      .map((union) => union.flatMap((part: unknown) => alternatives(document, part))),
  ];
  return parts.reduce(
    (before, part) => before.flatMap((one) => part.map((other) => both(one, other))),
    [ownRules(schema)],
  );
}

function ownRules(schema: JsonObject): FlatSchema {
  const { const: only, else: otherwise } = schema;
  return {
    types: schema.type === undefined ? undefined : [schema.type].flat().map(String),
    values: 'const' in schema ? [only] : (schema.enum as unknown[] | undefined),
    required: listOf(schema.required).map(String),
    properties: isObject(schema.properties) ? schema.properties : {},
    conditionals:
      'if' in schema
        ? [{ condition: schema.if, matching: schema.then ?? true, others: otherwise ?? true }]
        : [],
    keywords: Object.fromEntries(
      Object.entries(schema).filter(
        ([name]) => !ANNOTATIONS.has(name) && !STRUCTURE.has(name) && !name.startsWith('x-'),
      ),
    ),
  };
}

/** The schema of the values that both schemas accept. */
function both(one: FlatSchema, other: FlatSchema): FlatSchema {
  const { values: a, values } = one;
  const keywords = { ...one.keywords };
  for (const [name, value] of Object.entries(other.keywords))
    keywords[name] = stricter(name, keywords[name], value);
  const properties = { ...one.properties };
  for (const [name, schema] of Object.entries(other.properties))
    properties[name] = name in properties ? { allOf: [properties[name], schema] } : schema;
  return {
    types: one.types && other.types ? commonTypes(one.types, other.types) : (one.types ?? other.types),
    values: a && other.values ? a.filter((value) => includes(other.values, value)) : (values ?? other.values),
    required: [...new Set([...one.required, ...other.required])],
    properties,
    conditionals: [...one.conditionals, ...other.conditionals],
    keywords,
  };
}

function stricter(keyword: string, one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  if (LOWER_BOUNDS.has(keyword)) return Math.max(Number(one), Number(other));
  if (UPPER_BOUNDS.has(keyword)) return Math.min(Number(one), Number(other));
  if (keyword === 'items' || keyword === 'additionalProperties') return { allOf: [one, other] };
  return other;
}

const commonTypes = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([
    ...one.filter((type) => acceptsType(other, type)),
    ...other.filter((type) => acceptsType(one, type)),
  ]),
];

/** Whether a list of types accepts every value of a type. */
export const acceptsType = (types: readonly string[], type: string): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

/** Whether a list of values contains a JSON value. */
export const includes = (values: readonly unknown[] | undefined, value: unknown): boolean =>
  values?.some((one) => isDeepStrictEqual(one, value)) ?? false;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
