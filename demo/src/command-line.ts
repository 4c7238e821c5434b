import { parseArgs } from 'node:util';

export const HELP = `npm start [-- options]

Starts the feeds with demo listings: Kafka and Elasticsearch, as far as the environment does not name
them (with Docker, else with Java 21+ and Maven), the projector and the query service; publishes about
2,000 listings, then a change a second. Ctrl-C stops everything that it started.

  --demo   publishes the demo listings even into an events topic that holds records already
  --help   prints this

  PORT=8080, ADMIN_PORT=8081              the feeds; health and metrics of the query service,
                                          and at ADMIN_PORT + 1 those of the projector
  BASE_PATH=/api                          what precedes every path of the feeds
  KAFKA_BROKERS, ELASTICSEARCH_URL        what they name is used instead of started
  LISTING_EVENTS_TOPIC, INDEX_PREFIX, CONSUMER_GROUP, FEED_TODAY, …
                                          as the services read them
  LOG_LEVEL=warn                          which log lines of the services are shown
  VITRINE_ENGINES=docker|java             allows only that way to start the engines
`;

export type Command = { readonly do: 'run'; readonly demo: boolean } | { readonly do: 'help' } | { readonly do: 'refuse'; readonly reason: string };

/** Reads the arguments of `npm start`. */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { demo: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    return values.help ? { do: 'help' } : { do: 'run', demo: values.demo };
  } catch (error) {
    return { do: 'refuse', reason: error instanceof Error ? error.message : String(error) };
  }
}
