import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type PostgresServer, startConnect, startPostgres } from '@vitrine/engines/sources';
import { SIMPLE_DATABASE_SCHEMA, simpleDatabaseRows } from '@vitrine/fixtures';
import { createTopic } from '@vitrine/kafka';
import { DemoError } from '../command.ts';
import { ensureEventsTopic } from '../events-topic.ts';
import { ingestPorts } from '../ports.ts';
import type { Session, SessionPlan } from '../session.ts';
import { enginesStep, feedStep, launchServices, readyStep, withAdmin } from '../session-steps.ts';
import type { Step } from '../steps.ts';
import { databaseGreeting } from './database-greeting.ts';

const LISTINGS = 400;
const PARTITIONS = '3';
const DOCUMENTS = new URL('../../../docs/start/debezium/', import.meta.url);
const TABLES = ['listings', 'calendar'];
/** The listings that the feed shows (docs/reference/rules.md#completeness). */
const COMPLETE =
  'SELECT count(*) FROM listings WHERE num_nulls(title, price, city, url) = 0 AND deleted_at IS NULL';

/** The plan of `npm run start:database`: the rows of a database become the feed's listings. */
export function databasePlan(): SessionPlan {
  let database: PostgresServer | undefined;
  let complete = 0;
  const databaseStep = ({ env, settings, signal, started }: Session): Step => ({
    title: 'PostgreSQL',
    run: async (report) => {
      refuseSecurity(env);
      const server = await startPostgres({
        env,
        settings: { wal_level: 'logical' },
        onProgress: report.line,
        signal,
      });
      if (typeof server === 'string')
        throw new DemoError(
          `${server}. Install PostgreSQL (Debian, Ubuntu: apt-get install postgresql), or start the same with ` +
            'Docker: docker compose --profile database up',
        );
      started.defer(() => server.stop());
      database = server;
      await server.run(SIMPLE_DATABASE_SCHEMA);
      const rows = simpleDatabaseRows({
        seed: 1,
        count: LISTINGS,
        today: settings.today,
        site: settings.site,
      });
      for (const { table, lines } of rows) await server.copy(table, lines);
      await server.run(new URL('rows.sql', DOCUMENTS));
      complete = Number(await server.run(COMPLETE));
      return `PostgreSQL at ${server.url}: ${LISTINGS} listings, ${complete} of them complete`;
    },
  });
  const topicsStep = (session: Session): Step => ({
    title: 'Topics',
    run: async () => {
      const { settings } = session;
      const state = await withAdmin(session, async (admin) => {
        const found = await ensureEventsTopic(admin, settings.topic);
        if (found === 'in use') return found;
        for (const table of TABLES)
          await createTopic(admin, {
            topic: `${prefixOf(session)}.public.${table}`,
            numPartitions: Number(PARTITIONS),
            replicationFactor: -1,
          });
        return found;
      });
      // A new database would have lower versions than the listings in the topic.
      if (state === 'in use')
        throw new DemoError(
          `Topic ${settings.topic} already holds records. Set LISTING_EVENTS_TOPIC, INDEX_PREFIX and ` +
            'CONSUMER_GROUP to new names.',
        );
      // Otherwise, a page that somebody has just read would show an UPDATE up to five seconds late.
      if (!session.env['CACHE_FRESH_SECONDS']) session.serviceEnv = { CACHE_FRESH_SECONDS: '1' };
      await launchServices(session, [
        {
          name: 'ingest',
          env: {
            ADMIN_PORT: String(settings.ingestAdminPort),
            MAPPING: fileURLToPath(new URL('mapping.ts', import.meta.url)),
            SOURCE_TOPIC_PREFIX: prefixOf(session),
          },
          ports: ingestPorts(settings),
        },
      ]);
      return `Topics ${settings.topic} and ${prefixOf(session)}.public.{${TABLES.join(',')}}`;
    },
  });
  const connectStep = (session: Session): Step => ({
    title: 'Kafka Connect with Debezium',
    run: async (report) => {
      const { env, engines, signal, started } = session;
      const connect = await startConnect({
        brokers: engines['KAFKA_BROKERS'] ?? '',
        env,
        onProgress: report.line,
        signal,
      });
      started.defer(() => connect.stop());
      const { name, config } = await connector(database as PostgresServer, prefixOf(session));
      await connect.putConnector(name, config);
      return `Kafka Connect at ${connect.url}: the connector ${name} runs`;
    },
  });
  return {
    steps: (session) => [
      databaseStep(session),
      enginesStep(session),
      topicsStep(session),
      connectStep(session),
      readyStep(session),
      feedStep(session, () => complete),
    ],
    greeting: ({ settings, hasConsole, engines, signal }) =>
      databaseGreeting(settings, { database: database as PostgresServer, hasConsole, engines, signal }),
    changes: () => undefined,
  };
}

/**
 * The prefix of the source topics. It depends on the events topic, so that several demos can share a Kafka.
 */
const prefixOf = ({ settings }: Session): string => `${settings.topic}.source`;

/** The documented connector, with the addresses of this demo. */
async function connector(
  { port }: PostgresServer,
  prefix: string,
): Promise<{ name: string; config: Record<string, string> }> {
  const { name, config } = JSON.parse(await readFile(new URL('rows-connector.json', DOCUMENTS), 'utf8')) as {
    name: string;
    config: Record<string, string>;
  };
  return {
    name,
    config: {
      ...config,
      'database.port': String(port),
      'topic.prefix': prefix,
      'topic.creation.default.partitions': PARTITIONS,
    },
  };
}

function refuseSecurity({ KAFKA_TLS = 'false', KAFKA_SASL_MECHANISM = '' }: NodeJS.ProcessEnv): void {
  if (KAFKA_TLS.trim() === 'false' || KAFKA_TLS.trim() === '') if (KAFKA_SASL_MECHANISM.trim() === '') return;
  throw new DemoError('npm run start:database does not support KAFKA_TLS or KAFKA_SASL_MECHANISM.');
}
