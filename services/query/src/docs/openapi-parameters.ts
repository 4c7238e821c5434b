import { AD_TYPE_SEGMENTS, AD_TYPES } from '@vitrine/feed-index/ad-types';
import { FeedParameters, LEGACY_NAMES, PARAMETER_NAMES } from '../contract/feed-parameters.ts';
import type { JsonSchema, Parameter, Reference } from './openapi-types.ts';

const LEGACY_AD_TYPES = Object.entries(AD_TYPES).flatMap(([name, { aliases }]) =>
  aliases.map((alias) => ` \`${alias}\` is a legacy alias of \`${name}\`.`),
);

/** The path parameter. Rule: docs/reference/rules.md#operations. */
const AD_TYPE: Parameter = {
  name: 'adType',
  in: 'path',
  required: true,
  description: `Selects items of this ad type.${LEGACY_AD_TYPES.join('')}`,
  schema: { type: 'string', enum: AD_TYPE_SEGMENTS },
  example: 'rent',
};

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'Entity tags of the copies that the client has, or `*`. If the tag of the current response is in the ' +
    'list, the service returns 304 without a body (RFC 9110 §13.1.2).',
  schema: { type: 'string' },
};

/**
 * Describes every parameter of the feeds by component name. The same schemas validate the query parameters of
 * requests.
 */
export function componentParameters(): Record<string, Parameter> {
  const query = PARAMETER_NAMES.map((name) => [name, queryParameter(name)]);
  return { adType: AD_TYPE, ...Object.fromEntries(query), IfNoneMatch: IF_NONE_MATCH };
}

/** Lists the parameters of one operation. */
export function parameterReferences(byType: boolean): Reference[] {
  const names = Object.keys(componentParameters()).filter((name) => byType || name !== 'adType');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function queryParameter(name: string): Parameter {
  const declared: JsonSchema & { description?: string; examples?: unknown[] } = {
    ...FeedParameters.properties[name],
  };
  // Generated clients would send a declared `default` explicitly, and the service rejects `page` together
  // with `cursor`. Therefore only the description states the default.
  const { description = '', examples, default: preset, ...schema } = declared;
  return {
    name,
    in: 'query',
    description: preset === undefined ? description : `${description} The default is ${preset}.`,
    required: false,
    ...(LEGACY_NAMES.includes(name) && { deprecated: true }),
    // An empty value counts as absent.
    allowEmptyValue: true,
    schema,
    ...(examples && { example: examples[0] }),
  };
}
