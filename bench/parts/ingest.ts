import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type BacklogRound, onBacklog } from '../backlog.ts';
import type { BenchContext } from '../bench-context.ts';
import { listingEvents } from '../listing-events.ts';
import { compared } from '../results.ts';
import { AVRO_SCHEMA, type SourceFormat, sourceRecords } from '../source-records.ts';
import { alternate, medianOf } from '../statistics.ts';

/** With the default of 300,000 items, each source topic has 1,000,000 records. */
const RECORDS_PER_ITEM = 10 / 3;
/** A shorter backlog would end before the measurement starts. */
const FEWEST_RECORDS = 250_000;
const NAIVE_RECORDS = 100_000;
const ROUNDS = 3;
const AT_LEAST = 5;
const AT_MOST_MB = 300;
const FORMATS: readonly SourceFormat[] = ['json', 'debezium', 'avro'];

/**
 * Measures the ingest's records per second on a backlog in each format, relative to the naive consumer from
 * the `projector` part, and the ingest's peak memory. The naive consumer writes an index instead of a topic,
 * so the ratio shows whether the ingest can ever be slower than what follows it.
 */
export async function ingest(context: BenchContext): Promise<void> {
  const { KAFKA_BROKERS, ELASTICSEARCH_URL } = context.engines.settings;
  const records = Math.max(Math.round(context.items * RECORDS_PER_ITEM), FEWEST_RECORDS);
  const name = `bench-${process.pid}-ingest`;
  const events = await context.eventsTopic(`${name}-naive`);
  await context.eventsTopic(`${name}-events`);
  context.ownIndices(`${name}-*`);
  await context.step(`${NAIVE_RECORDS} events to Kafka`, 120, () =>
    events.publish(listingEvents(NAIVE_RECORDS)),
  );
  for (const format of FORMATS) {
    const topic = await context.eventsTopic(`${name}-${format}`);
    await context.step(`${records} ${format} records to Kafka`, 120 + records / 1_000, () =>
      topic.publish(sourceRecords(format, records)),
    );
  }
  const SCHEMA_REGISTRY_URL = await registry(context);

  const ingestRound = (format: SourceFormat) => async (round: number) => {
    const service = await context.ingest({
      KAFKA_BROKERS,
      SCHEMA_REGISTRY_URL,
      LISTING_EVENTS_TOPIC: `${name}-events`,
      INGEST_GROUP: `${name}-${round}`,
      MAPPING: join(import.meta.dirname, '../ingest-mapping.ts'),
      SOURCE_TOPIC: `${name}-${format}`,
      SOURCE_FORMAT: format,
    });
    const step = `ingest of ${format}, round ${round + 1}`;
    return onBacklog(context, step, records, `${name}-none`, { ...service, done: 'ingest_records_total' });
  };
  const figures = await alternate<SourceFormat | 'naive', BacklogRound>(ROUNDS, {
    json: ingestRound('json'),
    debezium: ingestRound('debezium'),
    avro: ingestRound('avro'),
    naive: async (round) => {
      const INDEX = `${name}-index-${round}`;
      const env = { KAFKA_BROKERS, ELASTICSEARCH_URL, LISTING_EVENTS_TOPIC: `${name}-naive` };
      const peer = await context.peer('peers/naive-consumer.ts', { ...env, INDEX, CONSUMER_GROUP: INDEX });
      const admin = `http://127.0.0.1:${peer.port}`;
      const step = `naive consumer, round ${round + 1}`;
      return onBacklog(context, step, NAIVE_RECORDS, INDEX, {
        ...peer,
        admin,
        done: 'projector_records_total',
      });
    },
  });
  const naive = { name: 'naive consumer', figure: medianOf(figures.naive, 'eventsPerSecond') };
  context.report(
    [
      ...FORMATS.map((format) =>
        compared(
          `ingest of a backlog, ${format}`,
          'events/s',
          medianOf(figures[format], 'eventsPerSecond'),
          naive,
          { target: { atLeast: AT_LEAST } },
        ),
      ),
      {
        measure: `memory of the ingest at ${records} records of lag`,
        unit: 'MB',
        ours: Math.max(...FORMATS.flatMap((format) => figures[format].map((round) => round.peakMegabytes))),
        target: { atMost: AT_MOST_MB },
      },
    ],
    figures,
  );
}

/** Starts a registry with one schema. The ingest sends it one request. @returns the registry's address */
async function registry(context: BenchContext): Promise<string> {
  const server = createServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/vnd.schemaregistry.v1+json' })
      .end(JSON.stringify({ schema: AVRO_SCHEMA })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
