import type { Log } from '@vitrine/runtime/log';
import { type RunningService, startAdminServer } from '@vitrine/runtime/service';
import { type FeedServerOptions, listening, startFeedServer } from './feed-server.ts';
import { readQuerySettings } from './settings.ts';

export interface QueryService extends RunningService {
  port: number;
  adminPort: number;
}

/**
 * Starts the query service, with the feeds on PORT, and health and metrics on ADMIN_PORT. Elasticsearch may
 * start later. The service becomes ready after the first successful search.
 * @throws SettingsError; Error if a port is in use
 */
export async function startQueryService(
  env: NodeJS.ProcessEnv,
  log: Log,
  options: FeedServerOptions = {},
): Promise<QueryService> {
  const settings = readQuerySettings(env);
  log.level = settings.logLevel;
  const feeds = await startFeedServer(settings, log, options);
  try {
    const admin = await listening(
      'ADMIN_PORT',
      startAdminServer(settings.adminPort, feeds.registry, feeds.readiness),
    );
    log.info(
      { port: feeds.port, basePath: settings.basePath, adminPort: admin.port },
      'the feeds are served',
    );
    const stop = async () => {
      await feeds.stop();
      await admin.close();
    };
    return { port: feeds.port, adminPort: admin.port, failed: feeds.failed, stop, breakOff: feeds.breakOff };
  } catch (error) {
    await feeds.stop();
    throw error;
  }
}
