import { checkElasticsearch, elasticsearchConnection } from '@vitrine/runtime/elasticsearch';
import { port, readSettings, sharedSettings } from '@vitrine/runtime/settings';
import { Type } from 'typebox';
import { allowedCallers, checkMcpCallers } from './mcp-callers.ts';
import { readPublicUrl } from './public-url.ts';

/** An origin without a wildcard or quotes, because it becomes part of a header. RFC 6454 §6.2. */
const ORIGIN = 'https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?';

/** The variables that the query service reads from its environment. */
export const schema = Type.Object({
  ...sharedSettings,
  PORT: port(8080),
  BASE_PATH: Type.String({ default: '/api', pattern: '^(/|(/[A-Za-z0-9._~-]+)+)$' }),
  PUBLIC_URL: Type.Optional(Type.String()),
  ADMIN_PORT: port(8081),
  RATE_LIMIT: Type.String({ default: '12000', pattern: '^(off|[1-9][0-9]{0,8})$' }),
  TRUSTED_PROXIES: Type.Integer({ default: 0, minimum: 0, maximum: 10 }),
  PROCESSES: Type.Integer({ default: 1, minimum: 1, maximum: 64 }),
  CACHE_BYTES: Type.Integer({ default: 64 * 1024 * 1024, minimum: 0, maximum: 2 ** 40 }),
  CACHE_FRESH_SECONDS: Type.Integer({ default: 5, minimum: 0, maximum: 3_600 }),
  CACHE_STALE_SECONDS: Type.Integer({ default: 300, minimum: 0, maximum: 86_400 }),
  SEARCH_CONCURRENCY: Type.Integer({ default: 16, minimum: 1, maximum: 1_000 }),
  EXPORT_CONCURRENCY: Type.Integer({ default: 2, minimum: 1, maximum: 100 }),
  FEED_LICENSE: Type.String({
    default: 'https://creativecommons.org/licenses/by/4.0/',
    pattern: '^https?://[^\\s"<>]+$',
  }),
  MAX_CONNECTIONS: Type.Integer({ default: 4_096, minimum: 1, maximum: 1_000_000 }),
  KEEP_ALIVE_SECONDS: Type.Integer({ default: 65, minimum: 1, maximum: 3_600 }),
  MCP_ALLOWED_HOSTS: Type.Optional(Type.String()),
  MCP_ALLOWED_ORIGINS: Type.Optional(Type.String()),
  FEED_TODAY: Type.Optional(Type.String({ format: 'date' })),
  AVAILABILITY_HORIZON_DAYS: Type.Integer({ default: 90, minimum: 1, maximum: 1096 }),
  LISTING_IMAGE_ORIGINS: Type.Optional(Type.String({ pattern: `^${ORIGIN}(,${ORIGIN})*$` })),
  LOCAL_RADIUS_KM: Type.Number({ default: 50, exclusiveMinimum: 0, maximum: 20_000 }),
});

export type QuerySettings = ReturnType<typeof readQuerySettings>;

/**
 * Reads the query service's settings from the environment (docs/operate/configuration.md#query-service).
 * @throws SettingsError that names every missing or malformed variable
 */
export function readQuerySettings(env: NodeJS.ProcessEnv) {
  const given = readSettings(schema, env, (settings) => [
    ...checkElasticsearch(settings),
    ...checkPublicUrl(settings.PUBLIC_URL),
    ...checkMcpCallers(settings),
  ]);
  return {
    elasticsearch: elasticsearchConnection(given),
    indexPrefix: given.INDEX_PREFIX,
    logLevel: given.LOG_LEVEL,
    port: given.PORT,
    /** Prefix of every path: empty, or `/…` without a trailing slash. */
    basePath: given.BASE_PATH === '/' ? '' : given.BASE_PATH,
    /**
     * The origin at which clients reach the service, followed by the path prefix that a proxy strips, without
     * a trailing slash.
     */
    publicUrl: given.PUBLIC_URL === undefined ? undefined : readPublicUrl(given.PUBLIC_URL),
    adminPort: given.ADMIN_PORT,
    /** Maximum number of requests per client per minute. It is undefined if there is no limit. */
    rateLimit: given.RATE_LIMIT === 'off' ? undefined : Number(given.RATE_LIMIT),
    /** Number of our own proxies in front of the service, which trusts their X-Forwarded-For entries. */
    trustedProxies: given.TRUSTED_PROXIES,
    /** Number of processes that share the port. Each limit below applies per process. */
    processes: given.PROCESSES,
    /** Maximum total size of the cached pages in bytes. 0 disables the cache. */
    cacheBytes: given.CACHE_BYTES,
    cacheFreshSeconds: given.CACHE_FRESH_SECONDS,
    /**
     * Seconds during which the service may still serve a page that is no longer fresh, if its refresh fails.
     */
    cacheStaleSeconds: given.CACHE_STALE_SECONDS,
    /**
     * Maximum number of concurrent searches in Elasticsearch, of concurrent page queries, and of queued page
     * queries.
     */
    searchConcurrency: given.SEARCH_CONCURRENCY,
    exportConcurrency: given.EXPORT_CONCURRENCY,
    license: given.FEED_LICENSE,
    maxConnections: given.MAX_CONNECTIONS,
    keepAliveSeconds: given.KEEP_ALIVE_SECONDS,
    mcpCallers: allowedCallers(given),
    /** A date (YYYY-MM-DD) that replaces the current date in America/Sao_Paulo. */
    today: given.FEED_TODAY,
    availabilityHorizonDays: given.AVAILABILITY_HORIZON_DAYS,
    /** Origins from which the explorer may load listings' images, in addition to every HTTPS host. */
    imageOrigins: given.LISTING_IMAGE_ORIGINS?.split(',') ?? [],
    localRadiusKm: given.LOCAL_RADIUS_KM,
  };
}

/** The message does not repeat the value, because it may contain credentials. */
function checkPublicUrl(value: string | undefined): string[] {
  if (value === undefined || readPublicUrl(value) !== undefined) return [];
  return [
    'PUBLIC_URL must be http(s)://host[:port] with an optional path prefix, without credentials, query or ' +
      'fragment',
  ];
}
