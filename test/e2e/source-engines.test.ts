import {
  type ConnectServer,
  type PostgresServer as Database,
  type RegistryServer,
  startConnect,
  startRegistry,
} from '@vitrine/engines/sources';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { readTopic } from '../support/read-topic.ts';
import { eventually } from '../support/service-process.ts';

const LIMIT_MS = 120_000;
const START_MS = 600_000; // includes the download
const onProgress = (message: string): void => void process.stderr.write(`# ${message}\n`);

/** Debezium's connector for one table of a database. */
const rowConnector = (database: Database, prefix: string, table: string): Record<string, string> => ({
  'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
  'plugin.name': 'pgoutput',
  'database.hostname': '127.0.0.1',
  'database.port': String(database.port),
  'database.user': 'vitrine',
  'database.password': 'unused',
  'database.dbname': 'postgres',
  'topic.prefix': prefix,
  'table.include.list': table,
  'topic.creation.default.replication.factor': '1',
  'topic.creation.default.partitions': '1',
});

describe('PostgreSQL and Kafka Connect as processes of the tests', () => {
  let database: PostgresServer;
  let connect: ConnectServer;
  let settings: { KAFKA_BROKERS: string };
  const prefix = `source-engines-${process.pid}-${Date.now()}`;
  const idsIn = async (topic: string): Promise<string[]> => {
    const values = (await readTopic(settings, topic)).map(({ value }) => JSON.parse(String(value)));
    return [...new Set(values.map(({ after, id }) => after?.id ?? id))];
  };

  before(async function () {
    this.timeout(START_MS);
    const started = await startPostgres({ settings: { wal_level: 'logical' }, onProgress });
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      return this.skip();
    }
    database = started;
    ({ settings } = await engines());
    connect = await startConnect({ brokers: settings.KAFKA_BROKERS, onProgress });
  });
  after(async function () {
    this.timeout(LIMIT_MS);
    await connect?.stop();
    await database?.stop();
  });

  it('publish the rows of a table, and continue after both were killed', async function () {
    this.timeout(START_MS);
    const topic = `${prefix}.public.listings`;
    await database.pool.query('CREATE TABLE listings (id text PRIMARY KEY)');
    await database.copy('listings', ['before']);
    await connect.putConnector(prefix, rowConnector(database, prefix, 'public.listings'));
    const has = (...ids: string[]) =>
      eventually(
        `the rows ${ids}`,
        async () => {
          const found = await idsIn(topic);
          return ids.every((id) => found.includes(id)) || undefined;
        },
        LIMIT_MS,
      );
    await has('before');
    await connect.kill();
    await database.pool.query("INSERT INTO listings VALUES ('between')");
    await database.kill();
    await database.start();
    expect((await database.pool.query('SELECT id FROM listings')).rowCount).to.equal(2);
    await connect.start();
    await database.pool.query("INSERT INTO listings VALUES ('after')");
    await has('before', 'between', 'after');
  });

  it('route the rows of an outbox table', async function () {
    this.timeout(LIMIT_MS * 2);
    await database.pool.query(
      'CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregatetype text, ' +
        'aggregateid text, type text, payload jsonb)',
    );
    await connect.putConnector(`${prefix}-outbox`, {
      ...rowConnector(database, `${prefix}-outbox`, 'public.outbox'),
      'slot.name': 'outbox',
      'publication.name': 'outbox',
      'publication.autocreate.mode': 'filtered',
      transforms: 'outbox',
      'transforms.outbox.type': 'io.debezium.transforms.outbox.EventRouter',
      'transforms.outbox.route.topic.replacement': `${prefix}-events`,
      'transforms.outbox.table.expand.json.payload': 'true',
    });
    await database.pool.query(
      `INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('l', 'a', 's', '{"id": "a"}')`,
    );
    await eventually(
      'the event',
      async () => (await idsIn(`${prefix}-events`)).includes('a') || undefined,
      LIMIT_MS,
    );
  });

  it('name the reason why a connector does not run', async function () {
    this.timeout(LIMIT_MS * 2);
    const failure = (config: Record<string, string>) =>
      connect.putConnector(`${prefix}-wrong`, config).then(() => 'runs', String);
    expect(await failure({ 'connector.class': 'Missing' })).to.match(
      /refused the connector .*no connector|Failed to find any class that implements Connector/i,
    );
    const config = rowConnector(database, `${prefix}-wrong`, 'public.listings');
    const wrong = {
      'slot.name': 'wrong',
      'publication.name': 'missing',
      'publication.autocreate.mode': 'disabled',
      'errors.max.retries': '0',
    };
    expect(await failure({ ...config, ...wrong })).to.match(/failed:[\s\S]*publication/i);
  });
});

describe('the schema registry as a process of the tests', () => {
  let registry: RegistryServer;
  before(async function () {
    this.timeout(START_MS);
    registry = await startRegistry({ onProgress });
  });
  after(async function () {
    this.timeout(LIMIT_MS);
    await registry?.stop();
  });

  it("has Confluent's interface for three formats, and keeps schemas after a kill", async function () {
    this.timeout(START_MS);
    const schemas = [
      { schema: '{"type":"record","name":"A","fields":[{"name":"id","type":"string"}]}' },
      { schemaType: 'JSON', schema: '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}' },
      { schemaType: 'PROTOBUF', schema: 'syntax = "proto3"; message A { string id = 1; }' },
    ];
    const ids = [];
    for (const [index, schema] of schemas.entries()) {
      const response = await fetch(`${registry.url}/subjects/topic-${index}-value/versions`, {
        method: 'POST',
        headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
        body: JSON.stringify(schema),
      });
      const { id } = (await response.json()) as { id?: number };
      ids.push(id);
    }
    await registry.kill();
    await registry.start();
    for (const [index, { schemaType = 'AVRO' }] of schemas.entries()) {
      const response = await fetch(`${registry.url}/schemas/ids/${ids[index]}`);
      expect(response.status, schemaType).to.equal(200);
      expect(await response.json()).to.deep.include({ schema: schemas[index]?.schema });
    }
    expect((await fetch(`${registry.url}/schemas/ids/99`)).status).to.equal(404);
  });
});
