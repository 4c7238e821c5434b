import Router from '@koa/router';
import type { Log } from '@vitrine/runtime/log';
import { pageHeaders } from '@vitrine/web';
import Koa from 'koa';
import { MAX_URL_BYTES } from '../contract/operations.ts';
import { COMMON_HEADERS, PROBLEM_TYPE, problemPages, uriTooLong } from '../contract/problem.ts';
import { originForm } from '../request/query-string.ts';
import type { Encoder } from '../response/content-encoding.ts';
import type { FailureLog } from '../telemetry/failure-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { UCP_MCP_PATH } from '../ucp/ucp-names.ts';
import { addChangesRoutes, type ChangesSource } from './changes-routes.ts';
import { eventPages, openApiPage, type ServedDocument } from './documents.ts';
import { addEntryPointRoutes } from './entry-point-routes.ts';
import { addMcpRoute, type McpRouteOptions } from './mcp-route.ts';
import type { Limits } from './pages/docs-routes.ts';
import { createViewReader } from './pages/explorer-views.ts';
import type { ReadNames } from './pages/facet-names.ts';
import { addWebRoutes } from './pages/web-routes.ts';
import type { ReadListing } from './read-listing.ts';
import { createRequestOutcomes, type RequestOutcomes } from './request-outcome.ts';
import {
  type ErrorForm,
  type FeedPages,
  feedRoutes,
  type RequestState,
  refuseUnrouted,
  respondToOptions,
} from './routes.ts';
import { addUcpRoutes, type UcpRoutesOptions } from './ucp-routes.ts';

type McpSource = Pick<McpRouteOptions, 'endpoint' | 'callers' | 'budgets' | 'accountOf'>;

export interface AppOptions {
  basePath: string;
  publicUrl?: string | undefined;
  /** The setting LISTING_IMAGE_ORIGINS. */
  imageOrigins?: readonly string[];
  pages: FeedPages;
  changes?: ChangesSource;
  mcp?: McpSource;
  /** The UCP catalog over REST and MCP. */
  ucp?: Pick<UcpRoutesOptions, 'run' | 'budgets' | 'accountOf'> & { mcp: McpSource };
  explorer?: { readListing: ReadListing; readNames: ReadNames; encoder: Encoder };
  /** The default is the OpenAPI document and the documents about events. */
  documents?: readonly ServedDocument[];
  /** The numbers in the documentation. */
  limits?: Limits;
  metrics: Metrics;
  /** Receives a line at level debug for every request and every refusal. */
  log: Log;
  /** Logs requests that receive a 5xx response. */
  failures: FailureLog;
}

type Step = Koa.Middleware<RequestState>;

/** Creates the Koa application of the public interface. Middleware runs in the order of the `use` calls. */
export function createApp(options: AppOptions): Koa<RequestState> {
  const {
    basePath,
    publicUrl,
    imageOrigins = [],
    pages,
    changes,
    mcp,
    ucp,
    limits = {},
    explorer,
    documents = [openApiPage(basePath, publicUrl), ...eventPages()],
    metrics,
    log,
    failures,
  } = options;
  const app = new Koa<RequestState>();
  const router = feedRoutes(basePath, pages, documents, publicUrl);
  if (changes) {
    metrics.watch('exports_running', () => changes.exports.running);
    const onFailure = failures.requestFailed;
    addChangesRoutes(router, { basePath, publicUrl, source: changes, pages, onFailure });
  }
  // The entry points for agents are at the root of the origin, whatever the feeds' base path is.
  const root = new Router<RequestState>({ sensitive: true, strict: true });
  if (mcp) addMcpRoute(root, { path: '/mcp', operation: 'mcp', ...mcp });
  addEntryPointRoutes(root, basePath, publicUrl);
  const onFailure = failures.backgroundFailed;
  addWebRoutes(
    root,
    basePath,
    publicUrl,
    limits,
    explorer && {
      ...pages,
      ...explorer,
      headers: pageHeaders(imageOrigins),
      readView: createViewReader({ ...explorer, read: pages.read, onFailure }),
    },
  );
  if (ucp) {
    addUcpRoutes(root, { ...ucp, publicUrl });
    addMcpRoute(root, { path: UCP_MCP_PATH, operation: 'ucpMcp', ...ucp.mcp });
  }
  const outcomes = createRequestOutcomes(metrics, log, failures);
  app.use(countUnread(pages));
  app.use(observe(outcomes));
  app.use(respondWithProblems(problemPages(basePath, publicUrl), outcomes));
  app.use(respondToServerOptions);
  app.use(normalizeUrl);
  // The feeds come first, because a router tries its routes in order.
  app.use(router.routes());
  app.use(root.routes());
  app.use(refuseUnrouted);
  // This handler receives only connection errors that occur while a response is being sent.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'could not deliver a response'));
  return app;
}

/** Counts every body until the client has read it, whichever route has created the body. */
const countUnread =
  ({ unread }: Pick<FeedPages, 'unread'>): Step =>
  async (context, next) => {
    await next();
    if (typeof context.body === 'string') context.body = Buffer.from(context.body);
    if (Buffer.isBuffer(context.body) && context.method !== 'HEAD') unread.add(context.body, context.res);
  };

function observe(outcomes: RequestOutcomes): Step {
  return async (context, next) => {
    const start = performance.now();
    await next();
    const { operation, cache } = context.state;
    outcomes.handled(context, { ...logged(context), operation, status: context.status, start, cache });
  };
}

const logged = ({ response, originalUrl }: Koa.Context) => ({
  requestId: response.get('X-Request-Id'),
  url: originalUrl,
});

/** Converts every error to an error document without internal details. @param pages from `problemPages` */
function respondWithProblems(pages: string, outcomes: RequestOutcomes): Step {
  /** RFC 9457. */
  const problemDocument: ErrorForm = (problem) => ({
    contentType: PROBLEM_TYPE,
    body: JSON.stringify(problem.details(pages)),
  });
  return async (context, next) => {
    context.set(COMMON_HEADERS);
    try {
      await next();
    } catch (error) {
      const problem = outcomes.failed(context, error, logged(context));
      if (!problem) return;
      context.status = problem.status;
      const { contentType, body } = (context.state.errorForm ?? problemDocument)(problem);
      context.set({ 'Cache-Control': 'no-store', 'Content-Type': contentType, ...problem.headers });
      context.body = body;
    }
  };
}

/** Responds to `OPTIONS *`, which applies to the whole server. RFC 9110 §9.3.7. */
const respondToServerOptions: Step = async (context, next) => {
  if (context.method !== 'OPTIONS' || context.url !== '*') return next();
  respondToOptions(context);
};

const normalizeUrl: Step = async (context, next) => {
  if (context.url.length > MAX_URL_BYTES) throw uriTooLong();
  context.url = originForm(context.url);
  await next();
};
