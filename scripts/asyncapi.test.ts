import { createRequire } from 'node:module';
import { decodeRecord } from '@vitrine/listing-events';
import { dismissalMark, retryMark, toStoredDeadLetter } from '@vitrine/operator';
import { toMessage } from '@vitrine/projection/dead-letters';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import { asyncApiDocument, asyncApiYaml } from './asyncapi.ts';

interface Message {
  headers?: { properties: Record<string, object>; required: string[] };
  payload: object;
  examples?: { name: string; headers?: Record<string, string>; payload: unknown }[];
}

interface EventSchema {
  oneOf?: { $ref: string }[];
  properties: { type: { const?: string; enum?: string[] } };
}

describe('asyncapi.yaml', () => {
  const document = asyncApiDocument() as unknown as {
    components: { messages: Record<string, Message>; schemas: object };
  };
  const { messages } = document.components;
  const ajv = new Ajv({ strict: false });
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  /** Whether the contract accepts headers and payload for this message. */
  const accepts = (name: string, payload: unknown, headers: unknown = {}): boolean =>
    ajv.validate({ $ref: `contract#/components/messages/${name}/payload` }, payload) &&
    (!messages[name]?.headers ||
      ajv.validate({ $ref: `contract#/components/messages/${name}/headers` }, headers));

  it('is an AsyncAPI 3 document', () => {
    const official = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0.json') as object;
    // The official schema contains the meta-schema of JSON Schema.
    const specification = new Ajv({ strict: false, logger: false, meta: false, validateSchema: false });
    ajvFormats.default(specification);
    const validate = specification.compile(official);
    expect(validate(document), JSON.stringify(validate.errors)).to.equal(true);
    expect(
      validate({
        ...document,
        operations: { read: { action: 'listen', channel: { $ref: '#/channels/listingEvents' } } },
      }),
    ).to.equal(false);
  });

  it('contains only references to existing parts', () => {
    const references = [...asyncApiYaml().matchAll(/\$ref: ["']?#\/([^"'\n]+)/g)];
    expect(references).to.have.length.above(40);
    for (const [, name = ''] of references) {
      const target = name
        .split('/')
        .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document);
      expect(target, name).to.be.an('object');
    }
  });

  for (const [name, message] of Object.entries(messages))
    for (const { payload, headers } of message.examples ?? [])
      it(`has an example that contract and decoder accept: ${name}`, () => {
        expect(accepts(name, payload, headers), ajv.errorsText()).to.equal(true);
        const bytes = Object.entries(headers ?? {}).map(([header, value]) => [header, Buffer.from(value)]);
        const record = {
          key: Buffer.from('rent-1260'),
          value: payload === null ? null : Buffer.from(JSON.stringify(payload)),
          headers: Object.fromEntries(bytes),
        };
        expect(decodeRecord(record)).to.have.property('outcome', 'event');
      });

  it('refuses events that the decoder refuses', () => {
    const payload = messages.listingEvent?.examples?.[0]?.payload as { data: object };
    for (const broken of [
      { ...payload, specversion: '0.3' },
      { ...payload, time: 'yesterday' },
      { ...payload, subject: 'no such id!' },
      { ...payload, data: { ...payload.data, version: 0 } },
      { ...payload, data: { version: 1 } },
      { ...payload, data: { version: 1, listing: { price: -1 } } },
      {
        ...payload,
        data: { version: 1, listing: { availability: [{ date: '2026-02-30', available: true }] } },
      },
    ]) {
      expect(accepts('listingEvent', broken), JSON.stringify(broken)).to.equal(false);
      expect(
        decodeRecord({ key: Buffer.from('rent-1260'), value: Buffer.from(JSON.stringify(broken)) }),
      ).to.have.property('outcome', 'refused');
    }
  });

  it('chooses the schema of an event by its type', () => {
    const { listingEvent, ...others } = document.components.schemas as Record<string, EventSchema>;
    expect(listingEvent).to.deep.include({ type: 'object', required: ['type'], discriminator: 'type' });
    const types = listingEvent?.oneOf?.map(
      ({ $ref }) => others[$ref.split('/').at(-1) ?? '']?.properties.type.const,
    );
    expect(types).to.have.length(4);
    expect(types).to.deep.equal(listingEvent?.properties.type.enum);
  });

  it('names every header that the projector writes', () => {
    const record = {
      topic: 'events',
      topicId: 'ABEiM0RVZneImaq7zN3u_w',
      partition: 3,
      offset: '42',
      key: Buffer.from('k'),
      value: Buffer.from('{'),
      headers: { trace: null },
    };
    const written = toMessage({ record, reason: 'not-json', detail: 'why' }, new Date());
    const { trace: _, ...headers } = written.headers ?? {};
    expect(Object.keys(headers).sort()).to.deep.equal(
      Object.keys(messages.deadLetter?.headers?.properties ?? {}).sort(),
    );
    expect(accepts('deadLetter', '{', headers), ajv.errorsText()).to.equal(true);
    expect(accepts('deadLetter', '{', { ...headers, 'dead-letter-reason': 'mood' })).to.equal(false);

    const deadLetter = toStoredDeadLetter('dead-letters', 1, {
      key: record.key,
      value: record.value,
      headers,
      offset: '7',
      timestamp: '0',
    });
    if (deadLetter.kind !== 'dead-letter') throw new Error('a mark?');
    const mark = retryMark(deadLetter, new Date());
    expect(Object.keys(mark.headers).sort()).to.deep.equal(
      [...(messages.deadLetterRetried?.headers?.required ?? [])].sort(),
    );
    expect(accepts('deadLetterRetried', mark.value, mark.headers), ajv.errorsText()).to.equal(true);
    const dismissal = dismissalMark(deadLetter, 'a test', new Date());
    expect(Object.keys(dismissal.headers).sort()).to.deep.equal(
      [...(messages.deadLetterDismissed?.headers?.required ?? [])].sort(),
    );
    expect(accepts('deadLetterDismissed', dismissal.value, dismissal.headers), ajv.errorsText()).to.equal(
      true,
    );
  });
});
