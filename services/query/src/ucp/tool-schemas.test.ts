import { expect } from 'chai';
import { argumentSchemas } from '../agents/argument-schemas.ts';
import { UCP_TOOLS } from './mcp-tools.ts';

/**
 * The keywords that the model vendors' converters can handle: llama.cpp's grammar, Gemini's Schema, and
 * OpenAI's strict functions. Others make a client drop the tool, or all tools in a request.
 */
const KEYWORDS = [
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
];
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean'];
/** llama.cpp refuses 2,000 repetitions. */
const MAX_REPETITIONS = 1_999;

type Schema = Record<string, unknown>;

/** Every schema within a schema, with its path. */
function* schemasIn(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>))
    yield* schemasIn(member, `${path}.${name}`);
  if (schema['items'] !== undefined) yield* schemasIn(schema['items'] as Schema, `${path}[]`);
}

const inputs = [
  ...Object.entries(argumentSchemas(50)).map(([name, schema]) => [name, schema] as const),
  ...UCP_TOOLS.map(({ name, inputSchema }) => [name, inputSchema] as const),
];
const outputs = UCP_TOOLS.map(({ name, outputSchema }) => [`${name} (answer)`, outputSchema] as const);
/** The schemas as a client receives them. */
const all = [...inputs, ...outputs].flatMap(([name, schema]) => [
  ...schemasIn(JSON.parse(JSON.stringify(schema)) as Schema, name),
]);

describe('schemas of the tools', () => {
  it("have only keywords that the model vendors' converters can handle", () => {
    expect(all.length).to.be.greaterThan(80);
    for (const [path, schema] of all) {
      expect(KEYWORDS, path).to.include.members(Object.keys(schema));
      expect(TYPES, path).to.include(schema['type']);
      expect(schema['type'] === 'array', path).to.equal(schema['items'] !== undefined);
    }
  });

  it('llama.cpp: limit texts and lists to fewer than 2,000 repetitions', () => {
    for (const [path, { minLength, maxLength, minItems, maxItems }] of all)
      for (const limit of [minLength, maxLength, minItems, maxItems])
        expect(limit ?? 0, path).to.be.at.most(MAX_REPETITIONS);
  });

  it('fastmcp: allow further members in every object of an answer', () => {
    for (const [path, schema] of outputs.flatMap(([name, schema]) => [...schemasIn(schema as Schema, name)]))
      if (schema['type'] === 'object') expect(schema['additionalProperties'], path).to.equal(true);
  });
});
