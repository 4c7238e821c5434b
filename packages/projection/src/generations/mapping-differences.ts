import { isDeepStrictEqual } from 'node:util';
import type { estypes } from '@elastic/elasticsearch';

/**
 * Finds what an index template or an operator has changed in a mapping. The function reports fields that
 * differ, runtime fields in place of our fields, a restricted `_source`, and required routing. It ignores
 * other fields and `_meta`. Pure.
 * @returns one clause per difference, such as `_routing.required is true`; empty if the index is usable
 */
export function mappingDifferences(
  required: estypes.MappingTypeMapping,
  actual: estypes.MappingTypeMapping,
): string[] {
  const { enabled = true, ...source } = actual._source ?? {};
  const fields = Object.entries(required.properties ?? {});
  return [
    ...(enabled ? [] : ['_source.enabled is false']),
    ...Object.entries(source).map(([name, value]) => `_source.${name} is ${JSON.stringify(value)}`),
    ...(actual._routing?.required ? ['_routing.required is true'] : []),
    ...(String(actual.dynamic) === String(required.dynamic)
      ? []
      : [`dynamic is ${JSON.stringify(actual.dynamic ?? true)}`]),
    ...fields.flatMap(([name, property]) => {
      if (actual.runtime?.[name]) return [`a runtime field hides ${name}`];
      const found = actual.properties?.[name];
      return isDeepStrictEqual(found, property)
        ? []
        : [found === undefined ? `${name} is missing` : `${name} is ${JSON.stringify(found)}`];
    }),
  ];
}
