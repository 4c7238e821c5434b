import { EnginesError } from '@vitrine/engines';
import { runFlagCommand } from '@vitrine/engines/command-line';
import { endOnSignals, InterruptedError } from '@vitrine/runtime/processes';
import { SettingsError } from '@vitrine/runtime/settings';
import { assertFree, consolePorts, PortsTakenError, projectorPorts, queryPorts } from './ports.ts';
import { Screen } from './screen.ts';
import { ServiceDiedError } from './service-child.ts';
import { runSession } from './session.ts';
import { readDemoSettings } from './settings.ts';

const HELP = `npm start [-- options]

Starts the feeds with demo listings: Kafka and Elasticsearch unless the environment names them (with
Docker, otherwise with Java 21+ and Maven), the projector and the query service. Publishes about 2,000
listings, then one change per second. Ctrl-C stops everything that it started.

  --demo   publishes the demo listings even if the events topic already holds records
  --help   prints this

  PORT=8080, ADMIN_PORT=8081              the feeds; health and metrics of the query service,
                                          and at ADMIN_PORT + 1 those of the projector
  CONSOLE_PORT=8090                       the console of the data team, which only reads
  BASE_PATH=/api                          prefix of every path of the feeds
  KAFKA_BROKERS, ELASTICSEARCH_URL        engines to use instead of starting them
  LISTING_EVENTS_TOPIC, INDEX_PREFIX, CONSUMER_GROUP, FEED_TODAY, …
                                          settings of the services
  LOG_LEVEL=warn                          lowest level of the services' log lines to show
  VITRINE_ENGINES=docker|java             allows only this way to start the engines
`;

const FAILED = 1;

/** Runs until Ctrl-C or a failure. @returns the exit code */
async function run(forceDemo: boolean): Promise<number> {
  const ending = new AbortController();
  try {
    const settings = readDemoSettings(process.env);
    endOnSignals(ending);
    await assertFree([
      ...queryPorts(settings),
      ...projectorPorts(settings),
      ...(settings.needsConsole ? consolePorts(settings) : []),
    ]);
    return await runSession({
      settings,
      env: process.env,
      forceDemo,
      screen: new Screen(process.stdout, process.env),
      ending,
    });
  } catch (error) {
    // A failure during the shutdown is a consequence of the shutdown, not its cause.
    const reason: unknown = ending.signal.aborted ? ending.signal.reason : error;
    if (reason instanceof InterruptedError) return 0;
    console.error(describe(reason));
    return FAILED;
  }
}

function describe(reason: unknown): string {
  const isPlain = [SettingsError, PortsTakenError, EnginesError, ServiceDiedError].some(
    (type) => reason instanceof type,
  );
  if (isPlain && reason instanceof Error) return reason.message;
  return `npm start failed: ${reason instanceof Error ? reason.message : String(reason)}`;
}

await runFlagCommand({
  flag: 'demo',
  help: HELP,
  // A client library's timer must not delay the exit.
  run: async (forceDemo) => process.exit(await run(forceDemo)),
});
