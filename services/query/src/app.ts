import type { Log } from '@vitrine/runtime';
import Koa from 'koa';
import { compression } from './compression.ts';
import { FeedUnavailable } from './feed-search.ts';
import type { Metrics } from './metrics.ts';
import { MAX_TARGET_BYTES } from './operations.ts';
import { COMMON_HEADERS, PROBLEM_TYPE, Problem, uriTooLong } from './problem.ts';
import { rateLimit } from './rate-limit.ts';
import type { ReadFeed } from './read-feed.ts';
import { originForm } from './request-target.ts';
import { feedRoutes, type RequestState, refuseUnrouted } from './routes.ts';

export interface AppOptions {
  basePath: string;
  /** Requests per minute and client; undefined = no limit. */
  requestsPerMinute: number | undefined;
  readFeed: ReadFeed;
  metrics: Metrics;
  log: Log;
}

type Step = Koa.Middleware<RequestState>;

/** Tells a client when to come again where nobody can know it. */
const RETRY_AFTER_SECONDS = '5';
/** nginx's number for a client that went before it had its answer. */
const CLIENT_GONE = 499;

/** The public interface: what happens to a request, in this order. */
export function createApp({ basePath, requestsPerMinute, readFeed, metrics, log }: AppOptions): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const router = feedRoutes(basePath, readFeed);
  app.use(observe(metrics, log));
  app.use(compression);
  app.use(answerProblems(log));
  app.use(readTarget);
  if (requestsPerMinute !== undefined) app.use(rateLimit(requestsPerMinute));
  app.use(router.routes());
  app.use(refuseUnrouted);
  // Only what happens to the connection while an answer is written gets here.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'answer not delivered'));
  return app;
}

function observe({ requests, requestDuration }: Metrics, log: Log): Step {
  return async (context, next) => {
    const start = performance.now();
    await next();
    const seconds = (performance.now() - start) / 1000;
    const status = context.writable ? context.status : CLIENT_GONE;
    const operation = context.state.operation ?? 'none';
    requests.inc({ operation, status });
    requestDuration.observe({ operation }, seconds);
    log.debug({ method: context.method, url: context.originalUrl, status, seconds }, 'request');
  };
}

/** Makes every error a problem document (RFC 9457) that shows no internals. */
function answerProblems(log: Log): Step {
  return async (context, next) => {
    context.set(COMMON_HEADERS);
    try {
      await next();
    } catch (error) {
      if (!context.writable) return;
      const problem = asProblem(error);
      if (problem.status >= 500) log.warn({ err: error, status: problem.status, url: context.originalUrl }, 'request failed');
      context.status = problem.status;
      context.set({ 'Cache-Control': 'no-store', 'Content-Type': PROBLEM_TYPE, ...problem.headers });
      context.body = problem.body;
    }
  };
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FeedUnavailable) {
    return new Problem(503, 'The feed is not available now.', { headers: { 'Retry-After': RETRY_AFTER_SECONDS } });
  }
  return new Problem(500, 'The request could not be answered.');
}

const readTarget: Step = async (context, next) => {
  if (context.req.httpVersion === '1.1' && context.req.headers.host === undefined) throw new Problem(400, 'The Host header is missing.');
  if (context.url.length > MAX_TARGET_BYTES) throw uriTooLong();
  context.url = originForm(context.url);
  await next();
};
