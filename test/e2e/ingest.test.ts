import { mock } from 'node:test';
import { debeziumRows } from '@vitrine/ingest/mappings/debezium-rows';
import { wholeListing } from '@vitrine/ingest/mappings/whole-listing';
import { expect } from 'chai';
import { documentedMetrics } from '../contract/observability-documents.ts';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import {
  createSourceTopic,
  ingestDeadLetters,
  type RunningIngest,
  runIngest,
  type SourceTopic,
} from '../support/ingest.ts';
import { readTopic } from '../support/read-topic.ts';
import { eventually } from '../support/service-process.ts';

const TIME = Date.parse('2026-11-01T12:00:00Z');

interface Product {
  name: string;
  price: number;
}

const productsOf = ({ name: topic }: SourceTopic) =>
  wholeListing<Product>({
    topic,
    version: 'offset',
    listing: ({ name, price }) => ({
      title: name,
      price,
      location: { city: 'Recife' },
      url: 'https://shop.example/',
    }),
  });
const product = (key: string, name: string, price = 10): Published => ({
  key,
  value: JSON.stringify({ name, price }),
});

describe('ingest', () => {
  let deployment: Deployment;
  let projector: RunningProjector | undefined;
  let ingest: RunningIngest | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('ingest', 2);
  });
  afterEach(async () => {
    await ingest?.stop();
    await projector?.stop();
    [ingest, projector] = [undefined, undefined];
    await deployment.close();
  });

  it("brings Debezium's row changes of two tables to the feed, in any order of the tables", async () => {
    const listings = await createSourceTopic(deployment, 'public.listings');
    const calendar = await createSourceTopic(deployment, 'public.calendar');
    const row = { id: 'a', title: 'Casa', price: '120.50', city: 'Recife', url: 'https://shop.example/a' };
    let changes = 0;
    const change = (table: string, key: object, value: object): Published => {
      changes++;
      return {
        key: JSON.stringify({ schema: {}, payload: key }),
        value: JSON.stringify({
          schema: {},
          payload: { ...value, source: { table, lsn: 1_000 + 8 * changes, ts_ms: TIME } },
        }),
      };
    };
    const ofListing = (value: object, id = 'a') => change('listings', { id }, value);
    const tombstone = (id: string): Published => ({ key: JSON.stringify({ id }), value: null });
    const day = { listing_id: 'a', day: 20_760, available: true, price: '80' };
    await calendar.publish([
      change('calendar', { listing_id: 'a', day: 20_760 }, { op: 'c', before: null, after: day }),
      change('calendar', { listing_id: 'a', day: 20_761 }, { op: 'c', after: { ...day, day: 20_761 } }),
      change(
        'calendar',
        { listing_id: 'a', day: 20_761 },
        { op: 'd', before: { listing_id: 'a', day: 20_761 } },
      ),
    ]);
    await listings.publish([
      ofListing({ op: 'r', after: { ...row, title: 'Before' } }),
      ofListing({ op: 'u', after: row }),
      ofListing({ op: 'c', after: { ...row, id: 'b' } }, 'b'),
      ofListing({ op: 'd', before: { id: 'b' }, after: null }, 'b'),
      tombstone('b'),
      ofListing({ op: 'c', after: { ...row, id: 'old' } }, 'old'),
      // PostgreSQL logs a change to the primary key as a deletion and an insertion.
      ofListing({ op: 'd', before: { id: 'old' } }, 'old'),
      ofListing({ op: 'c', after: { ...row, id: 'new' } }, 'new'),
    ]);
    ingest = await runIngest(
      deployment,
      debeziumRows({
        listings: {
          topic: listings.name,
          id: 'id',
          fields: { title: 'title', price: 'price', location: { city: 'city' }, url: 'url' },
        },
        calendar: {
          topic: calendar.name,
          listingId: 'listing_id',
          date: 'day',
          available: 'available',
          price: 'price',
        },
      }),
    );
    projector = await runProjector(deployment);
    await Promise.all([listings.ingested(), calendar.ingested()]);
    await deployment.caughtUp();
    const items = await deployment.items();
    expect([...items.keys()].sort()).to.deep.equal(['a', 'new']);
    expect(items.get('a')?.feed_item).to.include({ title: 'Casa', price: 120.5 });
    expect(JSON.stringify(items.get('a')))
      .to.include('2026-11-03')
      .and.include('2026-11-04');
    expect(await ingestDeadLetters(deployment)).to.deep.equal([]);
    expect(await ingest.reasons()).to.deep.equal([]);
  });

  it('brings whole listings to the feed, and turns a poison record into a dead letter that blocks nothing', async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    const poison = Buffer.from([0xff, 0x00, 0x7b]);
    await source.publish([
      product('a', 'Before'),
      { key: 'b', value: poison, headers: { 'x-trace': Buffer.from([1]) } },
      product('c', 'Negative', -1),
      { key: 'not an id!', value: '{"name":"x","price":1}' },
      { key: 'd', value: '"text"' },
      product('a', 'Casa'),
      product('gone', 'Gone'),
      { key: 'gone', value: null },
    ]);
    ingest = await runIngest(deployment, productsOf(source));
    projector = await runProjector(deployment);
    await source.ingested();
    await deployment.caughtUp();
    expect(
      [...(await deployment.items()).entries()].map(([id, { feed_item }]) => [id, feed_item.title]),
    ).to.deep.equal([['a', 'Casa']]);
    const deadLetters = (await ingestDeadLetters(deployment)).sort(
      (a, b) => Number(a.headers?.['dead-letter-offset']) - Number(b.headers?.['dead-letter-offset']),
    );
    const header = (name: string) =>
      deadLetters.map(({ headers }) => String(headers?.[`dead-letter-${name}`]));
    expect(header('reason')).to.deep.equal(['undecodable', 'schema', 'schema']);
    expect(header('offset')).to.deep.equal(['1', '2', '3']);
    expect(new Set(header('topic'))).to.deep.equal(new Set([source.name]));
    expect(header('detail')[1]).to.match(/^event 1 of 1: \/data\/listing\/price must be >= 0/);
    expect(deadLetters[0]?.value).to.deep.equal(poison);
    expect(String(deadLetters[0]?.key)).to.equal('b');
    expect(deadLetters[0]?.headers?.['x-trace']).to.deep.equal(Buffer.from([1]));
    const { json: list } = await cli(deployment, ['dead-letters', 'list', '--ingest']);
    expect(list).to.have.property('total', 3);
    const named = (topic: string) => cli(deployment, ['dead-letters', 'list', '--ingest-topic', topic]);
    expect((await named(`${deployment.topic}.ingest-dead-letters`)).json).to.deep.equal(list);
    const wrong = await named('wrong');
    expect(wrong.code).to.equal(3);
    expect(wrong.output).to.include('The topic wrong does not exist');
    const ofPoison = (list.newest as { reason: string; ref: string }[]).find(
      ({ reason }) => reason === 'undecodable',
    );
    const { json: shown } = await cli(deployment, ['dead-letters', 'show', '--ingest', ofPoison?.ref ?? '']);
    expect(shown).to.deep.include({
      reason: 'undecodable',
      detail: 'the value is not UTF-8',
      retryable: true,
    });
    expect(await ingest.metric('ingest_records_total')).to.equal(8);
    expect(await ingest.metric('ingest_events_total')).to.equal(5);
    expect(await ingest.metric('ingest_dead_letters_total', 'schema')).to.equal(2);
    // The ingest updates this metric at intervals.
    await eventually('no lag', async () => (await ingest?.metric('ingest_lag_records')) === 0);
    const exported = await (await fetch(`${ingest.admin}/metrics`)).text();
    const own = [...exported.matchAll(/^# TYPE (ingest_\S+)/gm)].map(([, name]) => name);
    expect(own).to.have.members(documentedMetrics('Metrics of the ingest'));
    const { json: retried } = await cli(deployment, [
      'dead-letters',
      'retry',
      '--ingest',
      ofPoison?.ref ?? '',
    ]);
    expect(retried).to.include({ sent: 1, stillRefusedTotal: 0 });
    await source.ingested();
    expect(await readTopic(deployment.env, source.name), 'the record went to its own topic').to.have.length(
      9,
    );
    expect(await ingestDeadLetters(deployment)).to.have.length(5);
  });

  it("counts no refused record as corrected, because its version is the source's", async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    const refused = { name: 'x', price: -1, type: 'product.updated', data: { version: 1 } };
    await source.publish([
      product('a', 'Before'),
      { key: 'a', value: JSON.stringify(refused) },
      product('a', 'Casa'),
    ]);
    ingest = await runIngest(deployment, productsOf(source));
    projector = await runProjector(deployment);
    await source.ingested();
    await deployment.caughtUp();
    const list = await cli(deployment, ['dead-letters', 'list', '--ingest']);
    expect(list.json).to.include({ total: 1, corrected: 0 });
    const retry = ['dead-letters', 'retry', '--ingest', '--reason', 'schema', '--dry-run'];
    expect((await cli(deployment, retry)).json).to.include({ sent: 1, corrected: 0 });
  });

  it('publishes events after its dead-letter topic was deleted', async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    ingest = await runIngest(deployment, productsOf(source));
    await source.publish([product('a', 'Casa'), { key: 'b', value: 'no JSON' }]);
    await source.ingested();
    await deployment.admin.deleteTopics({ topics: [`${deployment.topic}.ingest-dead-letters`] });
    // kafkajs reads the metadata of all its topics again after five minutes.
    const now = Date.now;
    mock.method(Date, 'now', () => now() + 360_000);
    try {
      await source.publish([product('c', 'Apartamento')]);
      await source.ingested();
    } finally {
      mock.restoreAll();
    }
    expect(await ingest.metric('ingest_events_total')).to.equal(2);
  });

  it('gives the same record the same events with the same ids', async () => {
    const source = await createSourceTopic(deployment, 'products');
    await source.publish(Array.from({ length: 20 }, (_, i) => product(`p-${i}`, `Product ${i}`)));
    for (const group of ['one', 'two']) {
      const INGEST_GROUP = `${deployment.prefix}-${group}`;
      ingest = await runIngest(deployment, productsOf(source), { INGEST_GROUP });
      await source.ingested({ group: INGEST_GROUP });
      await ingest.stop();
    }
    const values = (await readTopic(deployment.env, deployment.topic)).map(({ value }) => String(value));
    expect(values).to.have.length(40);
    expect(new Set(values)).to.have.length(20);
    expect(new Set(values.map((value) => (JSON.parse(value) as { id: string }).id))).to.have.length(20);
    expect(JSON.parse(values[0] ?? '')).to.include({ source: `/ingest/${source.name}` });
  });

  it('ends with advice if its source topic is deleted, and then reads the new topic from its beginning', async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    await source.publish([product('a', 'Casa')]);
    ingest = await runIngest(deployment, productsOf(source), {}, { observeEvery: 300 });
    await source.ingested();
    await deployment.admin.deleteTopics({ topics: [source.name] });
    await eventually(
      'the topic is gone',
      async () => !(await deployment.admin.listTopics()).includes(source.name),
    );
    expect((await ingest.failed).message).to.match(/was deleted.*Raise the mapping's version epoch/s);
    await ingest.stop();
    const again = await createSourceTopic(deployment, 'products', 1);
    await again.publish([product('b', 'Loja')]);
    ingest = await runIngest(deployment, { ...productsOf(source), topics: [source.name] });
    await again.ingested();
    const ids = (await readTopic(deployment.env, deployment.topic)).map(({ key }) => String(key));
    expect(ids.sort()).to.deep.equal(['a', 'b']);
  });

  it('refuses to start if Kafka deleted records before the group read any', async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    ingest = await runIngest(deployment, productsOf(source));
    await eventually('the ingest is ready', async () => (await ingest?.reasons())?.length === 0);
    await ingest.stop();
    await source.publish([product('a', 'Casa'), product('b', 'Loja')]);
    await deployment.admin.deleteTopicRecords({
      topic: source.name,
      partitions: [{ partition: 0, offset: '1' }],
    });
    ingest = await runIngest(deployment, productsOf(source));
    expect((await ingest.failed).message).to.match(/no longer holds the next records.*run reconcile/s);
  });

  it('waits for a source topic that does not exist yet, and meanwhile ingests the others', async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    const missing = `${deployment.prefix}.later`;
    await source.publish([product('a', 'Casa')]);
    const mapping = productsOf(source);
    ingest = await runIngest(
      deployment,
      { ...mapping, topics: [source.name, missing] },
      {},
      { lookEvery: 100 },
    );
    await source.ingested();
    expect(await ingest.reasons()).to.deep.equal([`the source topic ${missing} does not exist yet`]);
    const later = await createSourceTopic(deployment, 'later', 1);
    await later.publish([product('b', 'Loja')]);
    await later.ingested();
    expect(await readTopic(deployment.env, deployment.topic)).to.have.length(2);
    await eventually('the ingest is ready', async () => (await ingest?.reasons())?.length === 0);
  });

  it('refuses to read the topic to which it writes', async () => {
    const mapping = { topics: [deployment.topic], format: 'json' as const, map: () => [] };
    const failure = await runIngest(deployment, mapping).catch((error: Error) => error.message);
    expect(failure).to.match(/the mapping reads .*events, to which the ingest itself writes/);
  });
});
