import { isDeepStrictEqual } from 'node:util';

/** A JSON object of a document. */
export type JsonObject = { readonly [key: string]: unknown };

/** A rule that applies only to some values, such as the data of one event type. */
export interface Conditional {
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
  /** The bounds, `items` and `additionalProperties`, whose values have an intersection. */
  keywords: Record<string, unknown>;
  /** The other keywords without annotations. All values of a keyword apply. */
  rules: Record<string, unknown[]>;
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
const WITH_INTERSECTION = new Set([...LOWER_BOUNDS, ...UPPER_BOUNDS, 'items', 'additionalProperties']);
const MAX_REFERENCES = 50;

const EVERY_VALUE: FlatSchema = {
  types: undefined,
  values: undefined,
  required: [],
  properties: {},
  conditionals: [],
  keywords: {},
  rules: {},
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
  const others = Object.entries(schema).filter(
    ([name]) => !ANNOTATIONS.has(name) && !STRUCTURE.has(name) && !name.startsWith('x-'),
  );
  return {
    types: schema.type === undefined ? undefined : [schema.type].flat().map(String),
    values: 'const' in schema ? [only] : (schema.enum as unknown[] | undefined),
    required: listOf(schema.required).map(String),
    properties: isObject(schema.properties) ? schema.properties : {},
    conditionals:
      'if' in schema
        ? [{ condition: schema.if, matching: schema.then ?? true, others: otherwise ?? true }]
        : [],
    keywords: Object.fromEntries(others.filter(([name]) => WITH_INTERSECTION.has(name))),
    rules: Object.fromEntries(
      others.filter(([name]) => !WITH_INTERSECTION.has(name)).map(([name, value]) => [name, [value]]),
    ),
  };
}

/** The schema of the values that both schemas accept. */
export function both(one: FlatSchema, other: FlatSchema): FlatSchema {
  const { values: a, values } = one;
  const keywords = { ...one.keywords };
  for (const [name, value] of Object.entries(other.keywords))
    keywords[name] = stricter(name, keywords[name], value);
  const rules = { ...one.rules };
  for (const [name, list] of Object.entries(other.rules)) rules[name] = distinct(rules[name] ?? [], list);
  const properties = { ...one.properties };
  for (const [name, schema] of Object.entries(other.properties))
    properties[name] = name in properties ? intersection(properties[name], schema) : schema;
  return {
    types: one.types && other.types ? commonTypes(one.types, other.types) : (one.types ?? other.types),
    values: a && other.values ? a.filter((value) => includes(other.values, value)) : (values ?? other.values),
    required: [...new Set([...one.required, ...other.required])],
    properties,
    conditionals: [...one.conditionals, ...other.conditionals],
    keywords,
    rules,
  };
}

function stricter(keyword: string, one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  if (LOWER_BOUNDS.has(keyword)) return Math.max(Number(one), Number(other));
  if (UPPER_BOUNDS.has(keyword)) return Math.min(Number(one), Number(other));
  return intersection(one, other);
}

/**
 * A schema that accepts what both accept. Equal parts count once. Otherwise the parts of a schema that
 * contains itself would grow without end.
 */
export function intersection(one: unknown, other: unknown): unknown {
  if (one === false || other === false) return false;
  const parts = distinct(partsOf(one), partsOf(other));
  return parts.length === 1 ? parts[0] : { allOf: parts };
}

const partsOf = (schema: unknown): unknown[] =>
  isObject(schema) && Array.isArray(schema.allOf) && Object.keys(schema).length === 1
    ? schema.allOf
    : [schema];

/** The values of both lists, each once. */
const distinct = (one: readonly unknown[], other: readonly unknown[]): unknown[] => [
  ...one,
  ...other.filter((value) => !includes(one, value)),
];

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
