import { dateInSaoPaulo } from '@vitrine/fixtures';
import { type KafkaConnection, kafkaConnection, kafkaSettings, topicSettings } from '@vitrine/kafka';
import { checkProjectorSettings, projectorSettings } from '@vitrine/projection/settings';
import { readQuerySettings } from '@vitrine/query/settings';
import { readSettings, SettingsError, sharedSettings } from '@vitrine/runtime/settings';
import { type Static, type TObject, Type } from 'typebox';

/**
 * The demo prints this port, so 0 is not allowed. `last` leaves room for the ports of the projector and
 * the ingest after ADMIN_PORT.
 */
const announcedPort = (preset: number, last: number) =>
  Type.Integer({ default: preset, minimum: 1, maximum: last });

/** The console's own default. */
const CONSOLE_PORT = 8090;
const LAST_PORT = 65_535;

const schema = Type.Object({
  PORT: announcedPort(8080, LAST_PORT),
  ADMIN_PORT: announcedPort(8081, 65_533),
  CONSOLE_PORT: Type.Optional(Type.Integer({ minimum: 1, maximum: LAST_PORT })),
  SITE_PORT: announcedPort(8092, LAST_PORT),
  BASE_PATH: Type.String({ default: '/api' }),
  KAFKA_BROKERS: Type.Optional(kafkaSettings.KAFKA_BROKERS),
  KAFKA_TLS: kafkaSettings.KAFKA_TLS,
  KAFKA_SASL_MECHANISM: kafkaSettings.KAFKA_SASL_MECHANISM,
  ELASTICSEARCH_URL: Type.Optional(sharedSettings.ELASTICSEARCH_URL),
  LISTING_EVENTS_TOPIC: topicSettings.LISTING_EVENTS_TOPIC,
  LOG_LEVEL: Type.String({ ...sharedSettings.LOG_LEVEL, default: 'warn' }),
  FEED_TODAY: Type.Optional(Type.String({ format: 'date' })),
});

/**
 * Addresses of engines that are not running yet. With these placeholders, the demo can check the services'
 * other settings before the start.
 */
const PLACEHOLDERS = { KAFKA_BROKERS: 'localhost:9092', ELASTICSEARCH_URL: 'http://localhost:9200' };

export interface DemoSettings {
  port: number;
  adminPort: number;
  projectorAdminPort: number;
  /** Only `npm run start:database` uses this port. */
  ingestAdminPort: number;
  consolePort: number;
  /** Whether the console must start. If not, the demo omits the console when its port is taken. */
  needsConsole: boolean;
  sitePort: number;
  /** Origin of the marketplace's website, where the listings have their pages and pictures. */
  site: string;
  /** Base URL of the feeds, without a trailing slash. */
  feedsUrl: string;
  topic: string;
  logLevel: string;
  /** YYYY-MM-DD. */
  today: string;
  /** Whether this process starts both engines. If so, they hold only the demo. */
  ownEngines: boolean;
}

/**
 * Reads the settings of `npm start` and of its services from the environment
 * (docs/reference/rules.md#commands-and-settings).
 * @param adminPorts the number of ports from ADMIN_PORT on: the third one belongs to the ingest
 * @throws SettingsError that names every malformed variable of `npm start` and of both services
 */
export function readDemoSettings(env: NodeJS.ProcessEnv, adminPorts: 2 | 3 = 2): DemoSettings {
  const known = {
    ...PLACEHOLDERS,
    ...Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim())),
  };
  const problems = new Set(
    [
      () => readSettings(schema, env),
      () => readSettings(projectorSettings, known, checkProjectorSettings),
      () => readQuerySettings(known),
    ].flatMap(problemsOf),
  );
  if (problems.size > 0) throw new SettingsError([...problems]);
  const given = readSettings(schema, env);
  refuseSharedPorts(given, adminPorts);
  refuseSecurityOfOwnKafka(given);
  return {
    port: given.PORT,
    adminPort: given.ADMIN_PORT,
    projectorAdminPort: given.ADMIN_PORT + 1,
    ingestAdminPort: given.ADMIN_PORT + 2,
    consolePort: given.CONSOLE_PORT ?? CONSOLE_PORT,
    needsConsole: given.CONSOLE_PORT !== undefined,
    sitePort: given.SITE_PORT,
    site: `http://localhost:${given.SITE_PORT}`,
    feedsUrl: `http://localhost:${given.PORT}${given.BASE_PATH === '/' ? '' : given.BASE_PATH}`,
    topic: given.LISTING_EVENTS_TOPIC,
    logLevel: given.LOG_LEVEL,
    today: given.FEED_TODAY ?? dateInSaoPaulo(new Date()),
    ownEngines: given.KAFKA_BROKERS === undefined && given.ELASTICSEARCH_URL === undefined,
  };
}

function problemsOf(read: () => Static<TObject> | object): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

/** The connection to Kafka for `env`, in which KAFKA_BROKERS is set. */
export const demoKafka = (env: NodeJS.ProcessEnv): KafkaConnection =>
  kafkaConnection(readSettings(Type.Object(kafkaSettings), env));

function refuseSecurityOfOwnKafka({
  KAFKA_BROKERS,
  KAFKA_TLS,
  KAFKA_SASL_MECHANISM,
}: Static<typeof schema>): void {
  if (KAFKA_BROKERS !== undefined || (KAFKA_TLS === 'false' && KAFKA_SASL_MECHANISM === undefined)) return;
  throw new SettingsError(['KAFKA_TLS and KAFKA_SASL_… require KAFKA_BROKERS']);
}

function refuseSharedPorts(
  { PORT, ADMIN_PORT, CONSOLE_PORT, SITE_PORT }: Static<typeof schema>,
  adminPorts: number,
): void {
  const admin = Array.from({ length: adminPorts }, (_, index) => ADMIN_PORT + index);
  const services = [PORT, ...admin];
  for (const [name, port] of Object.entries({ CONSOLE_PORT, SITE_PORT }))
    if (port !== undefined && services.includes(port))
      throw new SettingsError([
        `${name}=${port} is a port of the services (${services.join(', ')}). Choose another one`,
      ]);
  if (CONSOLE_PORT === SITE_PORT)
    throw new SettingsError([`CONSOLE_PORT and SITE_PORT are both ${SITE_PORT}. Choose another one`]);
  if (!admin.includes(PORT)) return;
  throw new SettingsError([
    `PORT=${PORT} conflicts with ADMIN_PORT=${ADMIN_PORT}, because the services use the ports ` +
      `${admin.join(', ')} for administration. Choose another PORT or ADMIN_PORT`,
  ]);
}
