import type { JsonSchema, OpenApi, Parameter, Reference } from '@vitrine/web';

/** Returns a reference to a component of the document. */
export const reference = (kind: keyof OpenApi['components'], name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Returns references to components by their names. */
export const references = (
  kind: keyof OpenApi['components'],
  names: readonly string[],
): Record<string, Reference> => Object.fromEntries(names.map((name) => [name, reference(kind, name)]));

type Declared = JsonSchema & { description?: string; examples?: unknown[]; default?: unknown };

/** Describes a query parameter by the schema that validates it. */
export function queryParameter(name: string, declared: object | undefined, deprecated = false): Parameter {
  // Generated clients would send a declared `default` explicitly, and the service rejects `page` together
  // with `cursor`. Therefore only the description states the default.
  const { description = '', examples, default: preset, ...schema }: Declared = { ...declared };
  return {
    name,
    in: 'query',
    description: preset === undefined ? description : `${description} The default is ${preset}.`,
    required: false,
    ...(deprecated && { deprecated }),
    // An empty value counts as absent.
    allowEmptyValue: true,
    schema,
    ...(examples && { example: examples[0] }),
  };
}
