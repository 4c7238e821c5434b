import { COMPONENT_SCHEMAS } from '../contract/component-schemas.ts';
import type { JsonSchema } from './openapi-types.ts';

/**
 * Maps a schema's JSON to its component name, so that `withReferences` can replace nested copies with
 * references.
 */
const NAMES = new Map(
  Object.entries(COMPONENT_SCHEMAS).map(([name, schema]) => [JSON.stringify(schema), name]),
);

/** Returns the component schemas, which reference each other by name instead of repeating definitions. */
export const componentSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(COMPONENT_SCHEMAS).map(([name, schema]) => [
      name,
      mapMembers(schema, withReferences) as JsonSchema,
    ]),
  );

function withReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const name = NAMES.get(JSON.stringify(value));
  return name === undefined ? mapMembers(value, withReferences) : { $ref: `#/components/schemas/${name}` };
}

function mapMembers(value: object, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]));
}
