import type { Log } from '@vitrine/runtime';
import Koa from 'koa';
import { type ServedDocument, servedDocuments } from './documents.ts';
import { type FailureKind, failureKind } from './failure-kind.ts';
import type { FailureLog } from './failure-log.ts';
import type { Metrics } from './metrics.ts';
import { MAX_TARGET_BYTES } from './operations.ts';
import { COMMON_HEADERS, PROBLEM_TYPE, Problem, uriTooLong } from './problem.ts';
import { originForm } from './request-target.ts';
import { answerOptions, type FeedPages, feedRoutes, type RequestState, refuseUnrouted } from './routes.ts';

export interface AppOptions {
  basePath: string;
  /** The setting PUBLIC_URL. */
  publicUrl?: string | undefined;
  pages: FeedPages;
  /** The service's own by default. */
  documents?: readonly ServedDocument[];
  metrics: Metrics;
  /** Takes each request and each refusal, at level debug. */
  log: Log;
  /** Takes the requests that are answered 5xx. */
  failures: FailureLog;
}

type Step = Koa.Middleware<RequestState>;

/** Tells a client when to come again where nobody can know it. */
const RETRY_AFTER_SECONDS = '5';
/** nginx's number for a client that went before it had its answer. */
const CLIENT_GONE = 499;

/** The public interface: what happens to a request, in this order. */
export function createApp(options: AppOptions): Koa<RequestState> {
  const { basePath, publicUrl, pages, documents = servedDocuments(basePath, publicUrl), metrics, log, failures } = options;
  const app = new Koa<RequestState>();
  const router = feedRoutes(basePath, pages, documents, publicUrl);
  app.use(observe(metrics, log));
  app.use(answerProblems(metrics, log, failures));
  app.use(answerServerOptions);
  app.use(readTarget);
  app.use(router.routes());
  app.use(refuseUnrouted);
  // Only what happens to the connection while an answer is written gets here.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'answer not delivered'));
  return app;
}

function observe(metrics: Metrics, log: Log): Step {
  return async (context, next) => {
    const start = performance.now();
    await next();
    const seconds = (performance.now() - start) / 1000;
    const status = isGone(context) ? CLIENT_GONE : context.status;
    metrics.answered(context.state.operation ?? 'none', status, seconds, context.state.cache);
    log.debug({ requestId: context.response.get('X-Request-Id'), method: context.method, url: context.originalUrl, status, seconds }, 'request');
  };
}

/** Makes every error a problem document (RFC 9457) that shows no internals. */
function answerProblems(metrics: Metrics, log: Log, failures: FailureLog): Step {
  return async (context, next) => {
    context.set(COMMON_HEADERS);
    try {
      await next();
    } catch (error) {
      const kind = failureKind(error);
      if (kind === 'overload') metrics.turnedAway('overload');
      if (isGone(context)) return;
      const problem = error instanceof Problem ? error : unserved(kind);
      const request = { requestId: context.response.get('X-Request-Id'), url: context.originalUrl };
      if (problem.status >= 500) failures.requestFailed(error, request);
      log.debug({ err: error, ...request, status: problem.status }, 'request refused');
      context.status = problem.status;
      context.set({ 'Cache-Control': 'no-store', 'Content-Type': PROBLEM_TYPE, ...problem.headers });
      context.body = problem.body;
    }
  };
}

/** A response behind another one on its connection has no socket of its own yet, and Koa takes it for writable. */
const isGone = ({ writable, req }: Koa.Context): boolean => !writable || !req.socket.writable;

function unserved(kind: FailureKind): Problem {
  const retryLater = { headers: { 'Retry-After': RETRY_AFTER_SECONDS } };
  switch (kind) {
    case 'outage':
      return new Problem(503, 'The feed is not available now.', retryLater);
    case 'overload':
      return new Problem(503, 'There are too many requests at the moment.', retryLater);
    case 'fault':
      return new Problem(500, 'The request could not be answered.');
  }
}

/** `OPTIONS *` asks about the whole server. RFC 9110 §9.3.7. */
const answerServerOptions: Step = async (context, next) => {
  if (context.method !== 'OPTIONS' || context.url !== '*') return next();
  answerOptions(context);
};

const readTarget: Step = async (context, next) => {
  if (context.url.length > MAX_TARGET_BYTES) throw uriTooLong();
  context.url = originForm(context.url);
  await next();
};
