import { runFlagCommand } from '@vitrine/engines/command-line';
import { runSessionCommand } from '../command.ts';
import { databasePlan } from './database-plan.ts';

const HELP = `npm run start:database [-- options]

Starts the feeds with the listings of a PostgreSQL database: PostgreSQL, Kafka and Elasticsearch, Kafka
Connect with Debezium, the ingest, the projector and the query service. Prints an UPDATE to try. Ctrl-C
stops everything, and deletes the data.

The machine needs PostgreSQL (Debian, Ubuntu: apt-get install postgresql), and Java 21+ with Maven. Docker
alone is enough for docker compose --profile database up.

  --help   prints this

  PORT=8080, ADMIN_PORT=8081              the feeds; health and metrics of the query service, at
                                          ADMIN_PORT + 1 those of the projector, and at ADMIN_PORT + 2
                                          those of the ingest
  CONSOLE_PORT=8090                       the console of the data team, which only reads
  SITE_PORT=8092                          the demo's own website, with the listings' pages and pictures
  KAFKA_BROKERS, ELASTICSEARCH_URL        engines without security to use instead of starting them
  LISTING_EVENTS_TOPIC, INDEX_PREFIX, CONSUMER_GROUP, …
                                          settings of the services
  LOG_LEVEL=warn                          lowest level of the services' log lines to show
`;

await runFlagCommand({
  help: HELP,
  // A client library's timer must not delay the exit.
  run: async () =>
    process.exit(
      await runSessionCommand({ name: 'npm run start:database', hasIngest: true, plan: databasePlan() }),
    ),
});
