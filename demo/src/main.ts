import { runFlagCommand } from '@vitrine/engines/command-line';
import { runSessionCommand } from './command.ts';
import { demoPlan } from './demo-plan.ts';

const HELP = `npm start [-- options]

Starts the feeds with demo listings: Kafka and Elasticsearch unless the environment names them (with
Docker, otherwise with Java 21+ and Maven), the projector and the query service. Publishes about 2,000
listings, then one change per second. Ctrl-C stops everything that it started.

  --demo   publishes the demo listings even if the events topic already holds records
  --help   prints this

  PORT=8080, ADMIN_PORT=8081              the feeds; health and metrics of the query service,
                                          and at ADMIN_PORT + 1 those of the projector
  CONSOLE_PORT=8090                       the console of the data team, which only reads
  SITE_PORT=8092                          the demo's own website, with the listings' pages and pictures
  BASE_PATH=/api                          prefix of every path of the feeds
  KAFKA_BROKERS, ELASTICSEARCH_URL        engines to use instead of starting them
  LISTING_EVENTS_TOPIC, INDEX_PREFIX, CONSUMER_GROUP, FEED_TODAY, …
                                          settings of the services
  LOG_LEVEL=warn                          lowest level of the services' log lines to show
  VITRINE_ENGINES=docker|java             allows only this way to start the engines
`;

await runFlagCommand({
  flag: 'demo',
  help: HELP,
  // A client library's timer must not delay the exit.
  run: async (forceDemo) =>
    process.exit(await runSessionCommand({ name: 'npm start', hasIngest: false, plan: demoPlan(forceDemo) })),
});
