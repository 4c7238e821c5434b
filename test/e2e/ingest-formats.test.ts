import { type RegistryServer, startRegistry } from '@vitrine/engines/sources';
import { defineMapping, type MappingRecord } from '@vitrine/ingest/mapping';
import { debeziumRows } from '@vitrine/ingest/mappings/debezium-rows';
import type { FieldChanges, ListingEvent } from '@vitrine/listing-events';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import {
  createSourceTopic,
  ingestDeadLetters,
  type RunningIngest,
  runIngest,
  type SourceTopic,
} from '../support/ingest.ts';
import { avroBytes, framed, protobufBytes, registerSchema } from '../support/registry-records.ts';
import { eventually } from '../support/service-process.ts';

const URL_OF_LISTING = 'https://shop.example/';
const START_MS = 600_000; // includes the download

interface Product {
  id: string;
  revision: number | bigint;
  title: string;
  price: number | string;
  place: { city: string };
  description?: string;
}

/** One mapping serves every format, because the decoders give the same values. */
const map = ({ value }: MappingRecord<Product>): ListingEvent[] => {
  if (value === null) return [];
  const { id, revision, title, price, place, description } = value;
  const fields: FieldChanges = {
    title,
    price: Number(price),
    location: { city: place.city },
    url: URL_OF_LISTING,
    ...(description !== undefined && { description }),
  };
  return [{ kind: 'snapshot', id, version: Number(revision), fields }];
};

const PLACE = {
  type: 'record',
  name: 'Place',
  namespace: 'shop',
  fields: [{ name: 'city', type: 'string' }],
};
const AVRO_FIELDS = [
  { name: 'id', type: 'string' },
  { name: 'revision', type: 'long' },
  { name: 'title', type: 'string' },
  { name: 'price', type: { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 } },
  { name: 'place', type: 'Place' },
];
const avroProduct = (more: object[] = []) => ({
  type: 'record',
  name: 'Product',
  namespace: 'shop',
  fields: [...AVRO_FIELDS, ...more],
});
const PLACE_PROTO = 'syntax = "proto3"; package shop; message Place { string city = 1; }';
const protoProduct = (more = '') => `syntax = "proto3"; package shop; import "place.proto";
  message Unrelated { string text = 1; }
  message Product { string id = 1; int64 revision = 2; string title = 3; double price = 4; Place place = 5; ${more} }`;
/** The second message in the file. */
const PRODUCT_AT = [2, 2];

describe('ingest of the formats of a schema registry', () => {
  let registry: RegistryServer;
  let deployment: Deployment;
  let projector: RunningProjector | undefined;
  let ingest: RunningIngest | undefined;

  before(async function () {
    this.timeout(START_MS);
    registry = await startRegistry({ onProgress: (line) => void process.stderr.write(`# ${line}\n`) });
  });
  after(() => registry?.stop());
  beforeEach(async () => {
    deployment = await createDeployment('ingest-formats', 1);
  });
  afterEach(async () => {
    await ingest?.stop();
    await projector?.stop();
    [ingest, projector] = [undefined, undefined];
    await deployment.close();
  });

  /** Registers a schema under a subject of this deployment, because all tests share the registry. */
  const register = (subject: string, schema: Parameters<typeof registerSchema>[2]) =>
    registerSchema(registry.url, `${deployment.prefix}-${subject}`, schema);
  const start = async (mapping: Parameters<typeof runIngest>[1]) => {
    ingest = await runIngest(deployment, mapping, { SCHEMA_REGISTRY_URL: registry.url });
    projector ??= await runProjector(deployment);
    return ingest;
  };
  const feed = async () => {
    await deployment.caughtUp();
    return new Map([...(await deployment.items())].map(([id, { feed_item }]) => [id, feed_item]));
  };
  const productsOf = (...topics: SourceTopic[]) =>
    defineMapping<Product>({ topics: topics.map(({ name }) => name), format: 'confluent', map });

  it('brings Avro, Protobuf and JSON Schema to the feed, with references and a second version', async () => {
    const [avro, proto, json] = [
      await createSourceTopic(deployment, 'avro', 1),
      await createSourceTopic(deployment, 'proto', 1),
      await createSourceTopic(deployment, 'json', 1),
    ];
    const reference = async (name: string, subject: string, schema: Parameters<typeof registerSchema>[2]) => {
      await register(subject, schema);
      return [{ name, subject: `${deployment.prefix}-${subject}`, version: 1 }];
    };
    const price = (cents: number) => Buffer.of(cents >> 8, cents & 255);

    const ofPlace = await reference('shop.Place', 'place', { schema: JSON.stringify(PLACE) });
    const description = { name: 'description', type: ['null', 'string'], default: null };
    for (const [id, schema, more] of [
      ['avro-1', avroProduct(), {}],
      ['avro-2', avroProduct([description]), { description: 'New' }],
    ] as const) {
      const schemaId = await register('avro', { schema: JSON.stringify(schema), references: ofPlace });
      const product = {
        id,
        revision: 1,
        title: 'Casa',
        price: price(12_050),
        place: { city: 'Recife' },
        ...more,
      };
      await avro.publish([{ key: id, value: framed(schemaId, avroBytes(schema, product, [PLACE])) }]);
    }

    const ofProto = await reference('place.proto', 'place.proto', {
      schemaType: 'PROTOBUF',
      schema: PLACE_PROTO,
    });
    for (const [id, schema, more] of [
      ['proto-1', protoProduct(), {}],
      ['proto-2', protoProduct('optional string description = 6;'), { description: 'New' }],
    ] as const) {
      const schemaId = await register('proto', { schemaType: 'PROTOBUF', schema, references: ofProto });
      const product = { id, revision: 7, title: 'Casa', price: 120.5, place: { city: 'Recife' }, ...more };
      const bytes = protobufBytes([PLACE_PROTO, schema], 'shop.Product', product);
      await proto.publish([{ key: id, value: framed(schemaId, bytes, PRODUCT_AT) }]);
    }

    const ofJson = await reference('place.json', 'place.json', {
      schemaType: 'JSON',
      schema: '{"type":"object","properties":{"city":{"type":"string"}}}',
    });
    const jsonSchema = JSON.stringify({ type: 'object', properties: { place: { $ref: 'place.json' } } });
    const jsonId = await register('json', { schemaType: 'JSON', schema: jsonSchema, references: ofJson });
    const product = { id: 'json-1', revision: 3, title: 'Casa', price: 120.5, place: { city: 'Recife' } };
    await json.publish([{ key: 'json-1', value: framed(jsonId, Buffer.from(JSON.stringify(product))) }]);

    await start(productsOf(avro, proto, json));
    await Promise.all([avro, proto, json].map((topic) => topic.ingested()));
    const items = await feed();
    expect([...items.keys()].sort()).to.deep.equal(['avro-1', 'avro-2', 'json-1', 'proto-1', 'proto-2']);
    for (const [id, item] of items) {
      expect(item, id).to.include({ title: 'Casa', price: 120.5 });
      expect((item as { description?: string }).description, id).to.equal(
        id.endsWith('2') ? 'New' : undefined,
      );
    }
    expect(await ingestDeadLetters(deployment)).to.deep.equal([]);
  });

  it('turns records that no registry explains into dead letters with their bytes, and continues', async () => {
    const topic = await createSourceTopic(deployment, 'products', 1);
    const schema = { ...avroProduct(), fields: AVRO_FIELDS.slice(0, 1) };
    const id = await register('poison', { schema: JSON.stringify(schema) });
    const bomb = await register('bomb', { schema: '{"type":"array","items":"null"}' });
    const poison: [string, Buffer][] = [
      ['no-magic', Buffer.from('{"id":"a"}')],
      ['unknown-schema', framed(2_000_000_000, Buffer.of(0))],
      ['impossible-schema', framed(-1, Buffer.of(0))],
      ['truncated', framed(id, Buffer.of(20, 65))],
      ['two billion values', framed(bomb, Buffer.of(255, 255, 255, 255, 15))],
    ];
    const good = framed(id, avroBytes(schema, { id: 'good' }));
    await topic.publish([...poison.map(([key, value]) => ({ key, value })), { key: 'good', value: good }]);
    const mapping = defineMapping<Product>({
      topics: [topic.name],
      format: 'confluent',
      map: ({ value }) =>
        map({
          value: { ...(value as Product), revision: 1, title: 'Casa', price: 1, place: { city: 'Recife' } },
        } as MappingRecord<Product>),
    });
    await start(mapping);
    await topic.ingested();
    expect([...(await feed()).keys()]).to.deep.equal(['good']);
    const letters = await ingestDeadLetters(deployment);
    expect(letters.map(({ key, value }) => [String(key), value])).to.deep.equal(poison);
    for (const { headers } of letters)
      expect(String(headers?.['dead-letter-reason'])).to.equal('undecodable');
  });

  it('waits while the registry is stopped, and loses nothing', async function () {
    this.timeout(START_MS);
    const topic = await createSourceTopic(deployment, 'products', 1);
    const schema = avroProduct([{ name: 'note', type: 'string', default: '' }]);
    await register('place', { schema: JSON.stringify(PLACE) });
    const references = [{ name: 'shop.Place', subject: `${deployment.prefix}-place`, version: 1 }];
    const before = await register('before', { schema: JSON.stringify(avroProduct()), references });
    const after = await register('after', { schema: JSON.stringify(schema), references });
    const product = (id: string) => ({
      id,
      revision: 1,
      title: 'Casa',
      price: Buffer.of(1, 0),
      place: { city: 'Recife' },
      note: 'x',
    });
    const record = (id: string, schemaId: number, type: object) => ({
      key: id,
      value: framed(schemaId, avroBytes(type, product(id), [PLACE])),
    });
    const running = await start(productsOf(topic));
    await topic.publish([record('a', before, avroProduct())]);
    await topic.ingested();
    await registry.kill();
    // The first record has a known schema, and the second one a schema that only the registry has.
    await topic.publish([record('b', before, avroProduct()), record('c', after, schema)]);
    const paused = /the schema registry is unavailable: .*does not answer/;
    await eventually(
      'the ingest pauses',
      async () => (await running.reasons()).some((reason) => paused.test(reason)),
      120_000,
    );
    await registry.start();
    await topic.ingested();
    expect([...(await feed()).keys()].sort()).to.deep.equal(['a', 'b', 'c']);
    await eventually('the ingest is ready', async () => (await running.reasons()).length === 0, 120_000);
    expect(await ingestDeadLetters(deployment)).to.deep.equal([]);
  });

  it("maps Debezium's envelope and key in Avro, as its converter writes them", async () => {
    const topic = await createSourceTopic(deployment, 'public.listings', 1);
    const row = {
      type: 'record',
      name: 'Value',
      namespace: 'shop.public.listings',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'title', type: ['null', 'string'], default: null },
        { name: 'price', type: ['null', { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }] },
        { name: 'city', type: ['null', 'string'] },
        {
          name: 'published_at',
          type: [
            'null',
            { type: 'long', 'connect.version': 1, 'connect.name': 'io.debezium.time.MicroTimestamp' },
          ],
        },
      ],
    };
    const source = { type: 'record', name: 'Source', namespace: 'io.debezium.connector.postgresql' };
    const envelope = {
      type: 'record',
      name: 'Envelope',
      namespace: 'shop.public.listings',
      fields: [
        { name: 'before', type: ['null', row], default: null },
        { name: 'after', type: ['null', 'Value'], default: null },
        {
          name: 'source',
          type: {
            ...source,
            fields: [
              { name: 'ts_ms', type: 'long' },
              { name: 'lsn', type: ['null', 'long'] },
            ],
          },
        },
        { name: 'op', type: 'string' },
      ],
      'connect.name': 'shop.public.listings.Envelope',
    };
    const key = {
      type: 'record',
      name: 'Key',
      namespace: 'shop.public.listings',
      fields: [{ name: 'id', type: 'string' }],
    };
    const [keyId, valueId] = [
      await register('key', { schema: JSON.stringify(key) }),
      await register('value', { schema: JSON.stringify(envelope) }),
    ];
    let lsn = 2 ** 40;
    const change = (id: string, op: string, part: object) => ({
      key: framed(keyId, avroBytes(key, { id })),
      value: framed(
        valueId,
        avroBytes(envelope, {
          before: null,
          after: null,
          op,
          source: { ts_ms: Date.parse('2026-11-01T12:00:00Z'), lsn: ++lsn },
          ...part,
        }),
      ),
    });
    const values = (id: string, title: string) => ({
      id,
      title,
      price: Buffer.of(0x2f, 0x12),
      city: 'Recife',
      published_at: Date.parse('2026-10-01T12:00:00Z') * 1_000,
    });
    await topic.publish([
      change('a', 'c', { after: values('a', 'Before') }),
      change('a', 'u', { before: values('a', 'Before'), after: values('a', 'Casa') }),
      change('b', 'c', { after: values('b', 'Gone') }),
      change('b', 'd', { before: values('b', 'Gone') }),
      { key: framed(keyId, avroBytes(key, { id: 'b' })), value: null },
    ]);
    await start(
      debeziumRows({
        format: 'confluent',
        listings: {
          topic: topic.name,
          id: 'id',
          fields: {
            title: 'title',
            price: 'price',
            location: { city: 'city' },
            url: () => URL_OF_LISTING,
            published_at: 'published_at',
          },
        },
      }),
    );
    await topic.ingested();
    const items = await feed();
    expect([...items.keys()]).to.deep.equal(['a']);
    expect(items.get('a')).to.include({ title: 'Casa', price: 120.5 });
    expect(await ingestDeadLetters(deployment)).to.deep.equal([]);
  });
});
