import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import type { OpenApiDocument, Reference, Response } from '../../services/query/src/openapi-types.ts';
import type { HttpAnswer } from './http-answer.ts';

/** Headers that belong to the message, not to what it says. */
const MESSAGE_HEADERS = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-type', 'content-length']);

const isReference = (value: object): value is Reference => '$ref' in value;
const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? '';

/**
 * What a service's OpenAPI document says of its answers, as assertions: a member or header that it
 * does not name fails, as does one that is not as it says.
 */
export function describedResponses(document: OpenApiDocument) {
  const { components } = document;
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  ajvFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi', components: closed(components) });

  const expectHeaders = (described: Response['headers'], { headers }: HttpAnswer, what: string): void => {
    const known = new Map(Object.entries(described).map(([name, reference]) => [name.toLowerCase(), components.headers[nameOf(reference)]]));
    for (const name of Object.keys(headers)) {
      if (!MESSAGE_HEADERS.has(name)) expect([...known.keys()], `${what}: an undocumented header`).to.include(name);
    }
    for (const [name, header] of known) {
      const value = headers[name];
      if (value === undefined) expect(header?.required, `${what}: without ${name}`).not.to.equal(true);
      else expect(ajv.validate(header?.schema ?? false, value), `${what}: ${name}: ${value}`).to.equal(true);
    }
  };

  const expectSchema = (pointer: string, value: unknown, what: string): void => {
    expect(ajv.validate({ $ref: `openapi${pointer}` }, value), `${what}: ${ajv.errorsText()}`).to.equal(true);
  };

  return {
    /** `value` is as the schema at `pointer` says, which is a JSON pointer into the document with its `#`. */
    expectSchema,
    /** `answer` is one that the operation may give. */
    expectDescribed(operationId: string, answer: HttpAnswer, what: string): void {
      const operation = Object.values(document.paths).find(({ get }) => get.operationId === operationId)?.get;
      const entry = operation?.responses[answer.status];
      if (!entry) throw new Error(`${what}: ${operationId} does not document ${answer.status}`);
      const response = isReference(entry) ? components.responses[nameOf(entry)] : entry;
      if (!response) throw new Error(`${what}: the document has no ${JSON.stringify(entry)}`);
      expectHeaders(response.headers, answer, what);
      if (!response.content) {
        expect(answer.text, what).to.equal('');
        return;
      }
      const media = response.content[answer.headers['content-type'] ?? ''];
      if (!media) throw new Error(`${what}: ${answer.headers['content-type']} is not documented`);
      expectSchema(media.schema.$ref, JSON.parse(answer.text), what);
    },
  };
}

/** The same schemas, of which none takes a member that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)]));
  return members.type === 'object' && members.properties ? { ...members, additionalProperties: false } : members;
}
