import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { expect } from 'chai';
import { type ConfluentDecoder, createConfluentDecoder } from './confluent.ts';
import { DecoderUnavailableError, UndecodableError } from './format.ts';
import { RegistryRefusedError } from './schema-registry.ts';

const value = (id: number, hex: string) => {
  const header = Buffer.alloc(5);
  header.writeInt32BE(id, 1);
  return Buffer.concat([header, Buffer.from(hex.replaceAll(' ', ''), 'hex')]);
};
const json = (id: number, document: unknown) =>
  value(id, Buffer.from(JSON.stringify(document)).toString('hex'));
const avro = (schema: unknown, references?: object[]) => ({ schema: JSON.stringify(schema), references });
const record = (name: string, type: unknown) => ({ type: 'record', name, fields: [{ name: 'a', type }] });
const notFound = (error_code: number): Answer => ({
  status: 404,
  body: { error_code, message: 'not found' },
});

interface Answer {
  status?: number;
  body?: unknown;
  text?: string;
}

/** Responds as a schema registry's API does, and counts the requests. */
class FakeRegistry {
  readonly answers = new Map<string, Answer>();
  readonly requests: string[] = [];
  readonly authorizations: (string | undefined)[] = [];
  hangs = false;
  #server: Server | undefined;

  async start(): Promise<string> {
    this.#server = createServer((request, response) => {
      this.requests.push(request.url ?? '');
      this.authorizations.push(request.headers.authorization);
      if (this.hangs) return;
      const { status = 200, body, text } = this.answers.get(request.url ?? '') ?? notFound(40_403);
      response.writeHead(status, { location: '/schemas/ids/1' }).end(text ?? JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  schema(id: number, body: object): void {
    this.answers.set(`/schemas/ids/${id}`, { body });
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

describe('createConfluentDecoder', () => {
  let registry: FakeRegistry;
  let registryUrl: string;
  let decoder: ConfluentDecoder;
  beforeEach(async () => {
    registry = new FakeRegistry();
    registryUrl = await registry.start();
    decoder = createConfluentDecoder({ registryUrl }, 0);
    registry.schema(1, avro('long'));
  });
  afterEach(async () => {
    registry.stop();
    await decoder.close();
  });
  const decode = async (bytes: Buffer) => decoder.decode(bytes, 'value');
  const fails = async (bytes: Buffer, type: new (...args: never[]) => Error, message: RegExp) => {
    const error = await decode(bytes).then(
      () => expect.fail('the value was decoded'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(type);
    expect((error as Error).message).to.match(message);
  };

  it('decodes Avro, Protobuf and JSON with one request for each schema', async () => {
    const text = 'syntax = "proto3"; message A { string s = 1; } message B { message C { int32 n = 1; } }';
    registry.schema(2, { schemaType: 'PROTOBUF', schema: text });
    registry.schema(3, { schemaType: 'JSON', schema: '{"type":"object"}' });
    for (let time = 0; time < 3; time++) {
      expect(await decode(value(1, '0a'))).to.equal(5);
      expect(await decode(value(2, '00 0a0141'))).to.deep.equal({ s: 'A' });
      expect(await decode(value(2, '04 0200 0807'))).to.deep.equal({ n: 7 });
      expect(await decode(json(3, { id: 'ü' }))).to.deep.equal({ id: 'ü' });
    }
    expect(registry.requests).to.deep.equal(['/schemas/ids/1', '/schemas/ids/2', '/schemas/ids/3']);
  });

  it('shares one request between records that arrive together', async () => {
    await Promise.all(Array.from({ length: 20 }, () => decode(value(1, '0a'))));
    expect(registry.requests).to.have.length(1);
  });

  it('resolves references of references, even if two schemas share one', async () => {
    const at = (subject: string) => ({ name: subject, subject, version: 2 });
    const path = (subject: string) => `/subjects/${encodeURIComponent(subject)}/versions/2`;
    registry.schema(4, avro(record('Top', { type: 'array', items: ['B', 'C'] }), [at('B'), at('C')]));
    registry.answers.set(path('B'), { body: avro(record('B', 'x.D/'), [at('x.D/')]) });
    registry.answers.set(path('C'), { body: avro(record('C', 'x.D/'), [at('x.D/')]) });
    registry.answers.set(path('x.D/'), { body: avro({ type: 'fixed', name: 'x.D/', size: 1 }) });
    expect(await decode(value(4, '04 0007 0208 00'))).to.deep.equal({
      a: [{ a: Buffer.of(7) }, { a: Buffer.of(8) }],
    });
    expect(registry.requests.filter((url) => url === path('x.D/'))).to.have.length(1);
  });

  it('ends at cycles of references', async () => {
    const reference = { name: 'A', subject: 'A', version: 1 };
    registry.schema(5, avro('A', [reference]));
    registry.answers.set('/subjects/A/versions/1', { body: avro('A', [reference]) });
    await fails(value(5, ''), UndecodableError, /unknown type "A"/);
  });

  it('gives keys that are not in the wire format as text or bytes', async () => {
    expect(await decoder.decode(Buffer.from('l-1'), 'key')).to.equal('l-1');
    expect(await decoder.decode(Buffer.from([0, 0, 0, 0, 0, 0, 0, 7]), 'key')).to.equal('\0\0\0\0\0\0\0\x07');
    expect(await decoder.decode(Buffer.of(255), 'key')).to.deep.equal(Buffer.of(255));
    expect(await decoder.decode(value(1, '0a'), 'key')).to.equal(5);
  });

  describe('waits for a schema that the registry does not know yet', () => {
    const AWAIT_MS = 10_000;
    let now: number;
    beforeEach(async () => {
      now = 1_000_000;
      mock.method(Date, 'now', () => now);
      await decoder.close();
      decoder = createConfluentDecoder({ registryUrl }, AWAIT_MS);
    });
    afterEach(() => mock.restoreAll());

    it('and decodes the record when an instance of the registry has caught up', async () => {
      await fails(value(57, '0a'), DecoderUnavailableError, /nothing at \/schemas\/ids\/57 yet/);
      registry.schema(57, avro('long'));
      expect(await decode(value(57, '0a'))).to.equal(5);
    });
    it('but not forever, and then not for each damaged id', async () => {
      await fails(value(404, ''), DecoderUnavailableError, /yet/);
      now += AWAIT_MS;
      await fails(value(404, ''), UndecodableError, /nothing at/);
      for (const id of [405, 406]) await fails(value(id, ''), DecoderUnavailableError, /yet/);
      await fails(value(407, ''), UndecodableError, /nothing at/);
      now += 2 * 60_000;
      await fails(value(408, ''), DecoderUnavailableError, /yet/);
      await fails(value(407, ''), UndecodableError, /nothing at/);
    });
  });

  describe('calls a record bad', () => {
    it('without the first byte, or with an impossible id', async () => {
      for (const bytes of [
        Buffer.alloc(0),
        Buffer.from('{"a":1}'),
        Buffer.alloc(4),
        value(0, '00'),
        value(-1, '00'),
      ])
        await fails(bytes, UndecodableError, /not in the Confluent wire format/);
      expect(registry.requests).to.deep.equal([]);
    });
    it('with an unknown schema, and asks again only later', async () => {
      await fails(value(404, ''), UndecodableError, /nothing at \/schemas\/ids\/404/);
      await fails(value(404, ''), UndecodableError, /nothing at/);
      expect(registry.requests).to.have.length(1);
    });
    it('with an unknown reference', async () => {
      registry.schema(6, avro('int', [{ name: 'A', subject: 'A', version: 1 }]));
      registry.answers.set('/subjects/A/versions/1', notFound(40_401));
      await fails(value(6, '00'), UndecodableError, /nothing at \/subjects\/A/);
    });
    it('with an unsupported or invalid schema, and asks once', async () => {
      registry.schema(7, { schemaType: 'XML', schema: '<a/>' });
      registry.schema(8, avro('nothing'));
      for (let time = 0; time < 2; time++) {
        await fails(value(7, ''), UndecodableError, /unsupported type XML/);
        await fails(value(8, ''), UndecodableError, /unknown type "nothing"/);
      }
      expect(registry.requests).to.have.length(2);
    });
    it('with a schema that is too large, or has too many references', async () => {
      registry.schema(9, { schema: ' '.repeat(3 * 1024 * 1024) });
      registry.schema(10, { schema: '"int"', padding: ' '.repeat(5 * 1024 * 1024) });
      await fails(value(9, ''), UndecodableError, /exceeds 2097152 bytes/);
      await fails(value(10, ''), UndecodableError, /exceeds 2097152 bytes/);
      const references = Array.from({ length: 101 }, (_, index) => ({
        name: `${index}`,
        subject: 'A',
        version: 1,
      }));
      registry.schema(11, avro('int', references));
      registry.answers.set('/subjects/A/versions/1', { body: avro('int') });
      await fails(value(11, ''), UndecodableError, /more than 100 other schemas/);
    });
    it('with a hostile position, damaged bytes or no JSON', async () => {
      registry.schema(2, {
        schemaType: 'PROTOBUF',
        schema: 'syntax = "proto3"; message A { string s = 1; }',
      });
      registry.schema(3, { schemaType: 'JSON', schema: '{}' });
      await fails(value(2, 'fe ff ff ff 0f'), UndecodableError, /position of the message/);
      await fails(value(2, ''), UndecodableError, /ends before/);
      await fails(value(2, '02 02'), UndecodableError, /no message at position 1/);
      await fails(value(3, '7b'), UndecodableError, /not JSON/);
      await fails(value(1, ''), UndecodableError, /ends before/);
    });
  });

  describe('calls the registry unavailable', () => {
    const outage = (answer: Answer) => registry.answers.set('/schemas/ids/1', answer);
    for (const [title, answer, message] of [
      ['after an error of the server', { status: 503, text: 'sorry' }, /HTTP 503/],
      ['after too many requests', { status: 429, body: {} }, /HTTP 429/],
      ['at a wrong address', { status: 404, text: '<html>' }, /HTTP 404/],
      ['at another API', { status: 404, body: { error_code: 404 } }, /HTTP 404/],
      ['after a redirect, which it never follows', { status: 302 }, /HTTP 302/],
      ['without JSON', { text: '<html>' }, /not a JSON object/],
      ['without a schema', { body: {} }, /contains no schema/],
    ] as const)
      it(title, async () => {
        outage(answer);
        await fails(value(1, '0a'), DecoderUnavailableError, message);
        expect(registry.requests).to.have.length(1);
        registry.schema(1, avro('long'));
        expect(await decode(value(1, '0a'))).to.equal(5);
      });
    it('if it refuses the credentials', async () => {
      for (const status of [401, 403]) {
        outage({ status, body: { error_code: 40_101 } });
        await fails(value(1, '0a'), RegistryRefusedError, /refuses the credentials/);
      }
    });
    it('if it does not answer in time, or not at all', async () => {
      registry.hangs = true;
      await decoder.close();
      decoder = createConfluentDecoder({ registryUrl, timeoutMs: 300 });
      await fails(value(1, '0a'), DecoderUnavailableError, /does not answer/);
      registry.stop();
      await fails(value(1, '0a'), DecoderUnavailableError, /does not answer/);
    });
    it('but decodes with the schemas that it has', async () => {
      await decode(value(1, '0a'));
      registry.stop();
      expect(await decode(value(1, '0c'))).to.equal(6);
    });
  });

  it('sends the credentials', async () => {
    for (const auth of [{ username: 'u', password: 'p' }, { token: 't' }]) {
      const other = createConfluentDecoder({ registryUrl: `${registryUrl}/`, auth });
      await other.decode(value(1, '0a'), 'value');
      await other.close();
    }
    expect(registry.authorizations).to.deep.equal(['Basic dTpw', 'Bearer t']);
  });

  it('generates no code, so that no schema can contain any', () => {
    const script = `
      import { compileAvro } from '${import.meta.resolve('./avro.ts')}';
      import { compileProtobuf } from '${import.meta.resolve('./protobuf.ts')}';
      import { ByteInput } from '${import.meta.resolve('./byte-input.ts')}';
      const text = 'syntax = "proto3"; import "google/protobuf/timestamp.proto"; message A { string s = 1; ' +
        'map<string, A> m = 2; repeated A l = 3; oneof o { int64 x = 4; google.protobuf.Timestamp t = 5; } }';
      const input = new ByteInput(Buffer.of(4, 65, 66), 0);
      const avro = compileAvro('{"type":"record","name":"A","fields":[{"name":"s","type":"string"}]}', []);
      const protobuf = compileProtobuf(text, []);
      console.log(JSON.stringify([avro(input), protobuf([0], Buffer.from('0a01411a00', 'hex'), input.budget)]));`;
    const options = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', script];
    const output = execFileSync(process.execPath, options, { encoding: 'utf8' });
    const empty = { s: '', m: {}, l: [] };
    expect(JSON.parse(output)).to.deep.equal([{ s: 'AB' }, { s: 'A', m: {}, l: [empty] }]);
  });
});
