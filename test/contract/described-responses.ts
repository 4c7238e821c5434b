import type { OpenApiDocument, Reference, Response } from '@vitrine/query';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import type { HttpAnswer } from './http-answer.ts';

/** Headers that HTTP itself defines. An OpenAPI document does not describe these headers. */
const MESSAGE_HEADERS = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-type',
  'content-length',
]);

const isReference = (value: object): value is Reference => '$ref' in value;
const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? '';

/**
 * Assertions that a service's responses match its OpenAPI document, with a full check of every format. An
 * assertion fails if a member or header is missing from the document or violates its schema.
 */
export function describedResponses(document: OpenApiDocument) {
  const { components } = document;
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  ajvFormats.default(ajv, { mode: 'full' });
  ajv.addSchema({ $id: 'openapi', components: closed(components) });

  const expectHeaders = (described: Response['headers'], { headers }: HttpAnswer, what: string): void => {
    const known = new Map(
      Object.entries(described).map(([name, reference]) => [
        name.toLowerCase(),
        components.headers[nameOf(reference)],
      ]),
    );
    for (const name of Object.keys(headers)) {
      if (!MESSAGE_HEADERS.has(name))
        expect([...known.keys()], `${what}: an undocumented header`).to.include(name);
    }
    for (const [name, header] of known) {
      const value = headers[name];
      if (value === undefined)
        expect(header?.required, `${what}: the required header ${name} is missing`).not.to.equal(true);
      else expect(ajv.validate(header?.schema ?? false, value), `${what}: ${name}: ${value}`).to.equal(true);
    }
  };

  const expectSchema = (pointer: string, value: unknown, what: string): void => {
    const validate = ajv.getSchema(`openapi${pointer}`);
    if (!validate) throw new Error(`${what}: the document has no ${pointer}`);
    expect(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
  };

  return {
    /** Asserts that `value` satisfies the schema at `pointer`, a JSON pointer that starts with `#`. */
    expectSchema,
    /**
     * Asserts that the operation may return `answer`. If the document has no entry for the status, the
     * response must be an error with this status in its body.
     */
    expectDescribed(operationId: string, answer: HttpAnswer, what: string): void {
      const operation = Object.values(document.paths).find(({ get }) => get.operationId === operationId)?.get;
      const own = operation?.responses[answer.status];
      const entry = own ?? (answer.status >= 400 ? operation?.responses.default : undefined);
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
      // Each line of an export is a document.
      const isExport = answer.headers['content-type'] === 'application/x-ndjson';
      const documents = isExport ? answer.text.split('\n').slice(0, -1) : [answer.text];
      for (const document of documents) {
        const body = JSON.parse(document) as { status?: number };
        expectSchema(media.schema.$ref, body, what);
        if (!own) expect(body.status, what).to.equal(answer.status);
      }
    },
  };
}

/** Returns the schemas in a strict form: each schema rejects members that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)]));
  return members.type === 'object' && members.properties
    ? { ...members, additionalProperties: false }
    : members;
}
