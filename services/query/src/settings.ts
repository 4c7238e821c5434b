import { port, readSettings, sharedSettings } from '@vitrine/runtime';
import { Type } from 'typebox';

const schema = Type.Object({
  ...sharedSettings,
  PORT: port(8080),
  BASE_PATH: Type.String({ default: '/api', pattern: '^(/|(/[A-Za-z0-9._~-]+)+)$' }),
  ADMIN_PORT: port(8081),
  RATE_LIMIT: Type.String({ default: '12000', pattern: '^(off|[1-9][0-9]{0,8})$' }),
  FEED_TODAY: Type.Optional(Type.String({ format: 'date' })),
  AVAILABILITY_HORIZON_DAYS: Type.Integer({ default: 90, minimum: 1, maximum: 1096 }),
  LOCAL_RADIUS_KM: Type.Number({ default: 50, exclusiveMinimum: 0, maximum: 20_000 }),
});

export interface QuerySettings {
  elasticsearchUrl: string;
  indexPrefix: string;
  logLevel: string;
  port: number;
  /** What precedes every operation's path; empty for the root, otherwise `/…` without a slash at the end. */
  basePath: string;
  adminPort: number;
  /** Requests per minute and client; undefined = no limit. */
  rateLimit: number | undefined;
  /** YYYY-MM-DD instead of the date in America/Sao_Paulo. */
  today: string | undefined;
  availabilityHorizonDays: number;
  /** How far `localOnly` reaches. */
  localRadiusKm: number;
}

/**
 * The query service's settings out of the environment (decisions §4).
 * @throws SettingsError naming every variable that is missing or malformed.
 */
export function readQuerySettings(env: NodeJS.ProcessEnv): QuerySettings {
  const given = readSettings(schema, env);
  return {
    elasticsearchUrl: given.ELASTICSEARCH_URL,
    indexPrefix: given.INDEX_PREFIX,
    logLevel: given.LOG_LEVEL,
    port: given.PORT,
    basePath: given.BASE_PATH === '/' ? '' : given.BASE_PATH,
    adminPort: given.ADMIN_PORT,
    rateLimit: given.RATE_LIMIT === 'off' ? undefined : Number(given.RATE_LIMIT),
    today: given.FEED_TODAY,
    availabilityHorizonDays: given.AVAILABILITY_HORIZON_DAYS,
    localRadiusKm: given.LOCAL_RADIUS_KM,
  };
}
