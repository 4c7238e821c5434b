import { createElasticsearch, type Log, type RunningService, startAdminServer } from '@vitrine/runtime';
import { createApp } from './app.ts';
import { createFeedSearch } from './feed-search.ts';
import { startHttpServer } from './http-server.ts';
import { createMetrics } from './metrics.ts';
import { createFeedReader } from './read-feed.ts';
import { probeReadiness } from './readiness.ts';
import { readQuerySettings } from './settings.ts';
import { dateInSaoPaulo } from './today.ts';

export interface QueryService extends RunningService {
  port: number;
  adminPort: number;
}

/** `index.max_result_window` of the items indices: Elasticsearch's default. */
const RESULT_WINDOW = 10_000;
const ELASTICSEARCH_TIMEOUT_MS = 5_000;

/**
 * Starts the read side: the feeds on PORT, health and metrics on ADMIN_PORT. Elasticsearch need not
 * be there yet: the service is unready until the feed can be searched, and serves by itself then.
 * @param resultWindow how deep `from` reaches in the items index
 * @throws SettingsError; Error when a port is taken
 */
export async function startQueryService(env: NodeJS.ProcessEnv, log: Log, resultWindow = RESULT_WINDOW): Promise<QueryService> {
  const settings = readQuerySettings(env);
  log.level = settings.logLevel;
  const metrics = createMetrics();
  // No repetition: who asked is told to come again, in less time than another attempt takes.
  const elasticsearch = createElasticsearch({ url: settings.elasticsearchUrl, requestTimeout: ELASTICSEARCH_TIMEOUT_MS, maxRetries: 0 });
  const search = createFeedSearch({ elasticsearch, indexPrefix: settings.indexPrefix, resultWindow, duration: metrics.searchDuration });
  const today = () => settings.today ?? dateInSaoPaulo(new Date());
  const readFeed = createFeedReader({ search, today, horizonDays: settings.availabilityHorizonDays, localRadiusKm: settings.localRadiusKm });
  const app = createApp({ basePath: settings.basePath, requestsPerMinute: settings.rateLimit, readFeed, metrics, log });

  const readiness = probeReadiness(search);
  const opened: { close(): Promise<void> }[] = [elasticsearch];
  const stop = async () => {
    readiness.stop();
    for (const resource of opened.reverse()) await resource.close();
  };
  try {
    const admin = await listening('ADMIN_PORT', startAdminServer(settings.adminPort, metrics.registry, readiness.state));
    opened.push(admin);
    const server = await listening('PORT', startHttpServer(settings.port, app.callback()));
    opened.push(server);
    log.info({ port: server.port, basePath: settings.basePath, adminPort: admin.port }, 'the feeds are served');
    return { port: server.port, adminPort: admin.port, failed: server.failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listening<T>(setting: string, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number };
    if (code !== 'EADDRINUSE') throw error;
    throw new Error(`${setting}: port ${port} is already in use by another process`, { cause: error });
  }
}
