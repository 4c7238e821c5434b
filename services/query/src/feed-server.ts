import type { IncomingMessage } from 'node:http';
import type { Log } from '@vitrine/runtime/log';
import type { Readiness, RunningService } from '@vitrine/runtime/service';
import { traceExporter } from '@vitrine/runtime/tracing';
import type { Registry } from 'prom-client';
import { createAgentAccess } from './agent-access.ts';
import { PAGE_LIMITS, pageMemoryOf, RequestBudget, SharedMemory } from './budget/request-budget.ts';
import { freshness } from './cache/freshness.ts';
import { PageCache } from './cache/page-cache.ts';
import { SingleFlight } from './cache/single-flight.ts';
import { problemPages } from './contract/problem.ts';
import { documentedLimits } from './documented-limits.ts';
import { type AppOptions, createApp } from './http/app.ts';
import { CacheFastPath } from './http/cache-fast-path.ts';
import { createFeedPath } from './http/feed-path.ts';
import { DEFAULT_LIMITS, startHttpServer } from './http/http-server.ts';
import {
  createAccounts,
  createClientOf,
  createRefusalCounter,
  createRequestCounter,
  RateLimit,
} from './http/limits/client-rate-limit.ts';
import { UnreadBodies } from './http/limits/unread-bodies.ts';
import { createFacetNames } from './http/pages/facet-names.ts';
import { CHANGES_FRESH_SECONDS, createChangesReader } from './http/read-changes.ts';
import { createFeedReader } from './http/read-feed.ts';
import { createListingReader } from './http/read-listing.ts';
import { createRequestListener } from './http/request-listener.ts';
import { EXPORT_PACE, RunningExports } from './http/send-export.ts';
import { createMcpEndpoint } from './mcp/mcp-endpoint.ts';
import type { McpServerBuilder } from './mcp/mcp-server.ts';
import { createToday } from './request/calendar-dates.ts';
import { boundedEncoder } from './response/content-encoding.ts';
import { VIEW_LIFETIME_MS } from './search/changes/changes-search.ts';
import { exportItems } from './search/changes/export-search.ts';
import { createSearches } from './searches.ts';
import type { QuerySettings } from './settings.ts';
import { watchEventLoopDelay } from './telemetry/event-loop-delay.ts';
import { createFailureLog } from './telemetry/failure-log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { probeReadiness } from './telemetry/readiness.ts';
import { traceRequests, traceResponses } from './telemetry/request-tracing.ts';
import { TIME_LIMITS, type TimeLimits } from './time-limits.ts';

export interface FeedServer extends RunningService {
  port: number;
  registry: Registry;
  readiness: () => Readiness;
  breakOff(): void;
}

/**
 * Maximum total size of the bodies that are being encoded, and that of the bodies that clients have not read
 * yet (docs/decisions/0025-bounded-pages.md).
 */
const ENCODING_BYTES = 32 * 1024 * 1024;
const UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * In addition to CACHE_BYTES, pages of changes may use CACHE_BYTES divided by this number. They are fresh for
 * only two seconds.
 */
const CHANGES_CACHE_PARTS = 4;

/** Options that only tests set. */
export interface FeedServerOptions {
  /** `index.max_result_window` of the items index. */
  resultWindow?: number;
  /** Returns the wall-clock time for today's date, in milliseconds since the epoch. */
  clock?: () => number;
  /** Returns whether the process is too busy to start new work. The default uses the event-loop delay. */
  isBusy?: () => boolean;
  timeLimits?: TimeLimits;
}

/** Starts the feeds without the admin port. Each of several processes calls this function. */
export async function startFeedServer(
  settings: QuerySettings,
  log: Log,
  options: FeedServerOptions = {},
): Promise<FeedServer> {
  const isTracing = traceExporter(process.env) !== undefined;
  const metrics = isTracing ? traceResponses(createMetrics()) : createMetrics();
  const failures = createFailureLog(log);
  const delay = watchEventLoopDelay();
  const { resultWindow, clock, isBusy = delay.isBusy, timeLimits = TIME_LIMITS } = options;
  const searches = createSearches({ settings, metrics, resultWindow, isBusy, timeLimits });
  const pageFreshness = freshness(settings.cacheFreshSeconds, settings.cacheStaleSeconds);
  const observers = { onRead: metrics.countCacheRead, onFailure: failures.backgroundFailed };
  const cache = new PageCache({
    maxBytes: settings.cacheBytes,
    freshness: pageFreshness,
    flights: new SingleFlight(timeLimits.response),
    ...observers,
  });
  const changesCache = new PageCache({
    maxBytes: Math.floor(settings.cacheBytes / CHANGES_CACHE_PARTS),
    freshness: freshness(CHANGES_FRESH_SECONDS, 0),
    flights: new SingleFlight(timeLimits.changes, VIEW_LIFETIME_MS),
    ...observers,
  });
  const stopping = new AbortController();
  const clientOf = createClientOf(settings.trustedProxies);
  const clientOfRequest = ({ socket, headers }: IncomingMessage) => clientOf(socket, headers);
  const rateLimit = settings.rateLimit === undefined ? undefined : new RateLimit(settings.rateLimit);
  const accountOf = createAccounts(rateLimit, clientOf, metrics);
  const fixedToday = settings.today;
  const today = fixedToday === undefined ? createToday(clock) : () => fixedToday;
  const encoder = boundedEncoder(ENCODING_BYTES);
  const pageMemory = new SharedMemory(pageMemoryOf());
  const newBudget = () => new RequestBudget(PAGE_LIMITS, pageMemory);
  const source = { search: searches.feed, limiter: searches.pages, cache, newBudget, encoder };
  const read = createFeedReader({
    ...source,
    today,
    horizonDays: settings.availabilityHorizonDays,
    localRadiusKm: settings.localRadiusKm,
  });
  const unread = new UnreadBodies(UNREAD_BYTES, () => metrics.countRefusal('slow'), clientOfRequest);
  const { cacheControl } = pageFreshness;
  const fastPath = new CacheFastPath({ cache, cacheControl, metrics, unread, today });
  const agents = createAgentAccess({ settings, searches, metrics, log, failures, today, timeLimits });
  const mcpOf = (build: McpServerBuilder) => ({
    endpoint: createMcpEndpoint(build, (err) => log.debug({ err }, 'MCP request refused')),
    callers: settings.mcpCallers,
    budgets: agents.budgets,
    accountOf,
  });
  const appOptions: AppOptions = {
    basePath: settings.basePath,
    publicUrl: settings.publicUrl,
    imageOrigins: settings.imageOrigins,
    limits: documentedLimits(settings),
    pages: {
      read,
      accountOf,
      cacheControl,
      unread,
      onServed(url, meaning, { key, date, page }) {
        cache.updateSize(key, page);
        fastPath.remember(url, { ...meaning, key, date });
      },
    },
    explorer: {
      readListing: createListingReader(source),
      readNames: createFacetNames({ ...source, today, localRadiusKm: settings.localRadiusKm }),
      encoder,
    },
    changes: {
      read: createChangesReader({
        search: searches.changes,
        limiter: searches.pages,
        cache: changesCache,
        newBudget,
        encoder,
        license: settings.license,
        today,
      }),
      onServed(url, host, { key, date, page }) {
        changesCache.updateSize(key, page);
        const operation = 'getChanges';
        fastPath.remember(url, { operation, key, date, legacy: undefined, cache: changesCache, host });
      },
      exportNumber: searches.changes.exportNumber,
      exportItems: (after, signal) => exportItems(searches.itemsClient, after, signal, newBudget),
      exports: new RunningExports(settings.exportConcurrency),
      clientOf: clientOfRequest,
      pace: EXPORT_PACE,
      onExport: metrics.countExport,
      stopping: stopping.signal,
    },
    mcp: mcpOf(agents.buildServer),
    ucp: { run: agents.runUcp, budgets: agents.budgets, accountOf, mcp: mcpOf(agents.buildUcpServer) },
    metrics,
    log,
    failures,
  };
  const countRequest = createRequestCounter(rateLimit, clientOf, metrics);
  const pagesOfProblems = problemPages(settings.basePath, settings.publicUrl);
  const listener = createRequestListener({
    fastPath,
    feedPath: createFeedPath(appOptions),
    app: createApp(appOptions).callback(),
    countRequest,
    metrics,
    problemPages: pagesOfProblems,
  });
  metrics.watch('page_cache_bytes', () => cache.size + changesCache.size);
  metrics.watch('event_loop_delay_seconds', delay.seconds);

  const readiness = probeReadiness(searches.feed, log, failures.backgroundFailed);
  metrics.watch('service_ready', () => Number(readiness.state().ready));
  const release = async () => {
    failures.stop();
    delay.stop();
    await searches.close();
  };
  try {
    const limits = {
      ...DEFAULT_LIMITS,
      maxConnections: settings.maxConnections,
      keepAliveTimeout: settings.keepAliveSeconds * 1_000,
    };
    const server = await listening(
      'PORT',
      startHttpServer(settings.port, isTracing ? traceRequests(listener) : listener, limits, {
        onDisconnect: metrics.countRefusal,
        countRefusal: createRefusalCounter(countRequest, metrics),
        problemPages: pagesOfProblems,
      }),
    );
    const stop = async () => {
      readiness.stop();
      stopping.abort();
      await server.close();
      await release();
    };
    return {
      port: server.port,
      registry: metrics.registry,
      readiness: readiness.state,
      failed: server.failed,
      stop,
      breakOff: server.breakOff,
    };
  } catch (error) {
    readiness.stop();
    await release();
    throw error;
  }
}

/** Awaits `starting`. If the port is in use, throws an error that names the setting. */
export async function listening<T>(setting: string, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number };
    if (code !== 'EADDRINUSE') throw error;
    throw new Error(`another process already uses port ${port}. Set ${setting} to another port`, {
      cause: error,
    });
  }
}
