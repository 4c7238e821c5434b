import Router, { type RouterContext } from '@koa/router';
import { answer } from './answer.ts';
import { DEPRECATION, deprecationLink, usesLegacyNames } from './deprecation.ts';
import { servedDocuments } from './documents.ts';
import { ALLOWED_METHODS, FEED_CACHE_CONTROL, FEED_OPERATIONS } from './operations.ts';
import { Problem } from './problem.ts';
import type { ReadFeed } from './read-feed.ts';
import { splitTarget } from './request-target.ts';

/** What a request leaves for the middleware around it. */
export interface RequestState {
  /** The operation id of the API document, once one is matched. */
  operation?: string;
}

/** A request takes no longer than this, whatever Elasticsearch does. */
const DEADLINE_MS = 8_000;

/** The four operations below `basePath`, their description, and the reference; each for GET, HEAD and OPTIONS. */
export function feedRoutes(basePath: string, readFeed: ReadFeed): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: basePath, sensitive: true, strict: true });
  for (const { id, feed, byType } of FEED_OPERATIONS) {
    const path = byType ? `/${feed}/:adType` : `/${feed}`;
    router.get(id, path, async (context) => {
      context.state.operation = id;
      const { query } = splitTarget(context.url);
      // Before all that may fail: a refusal tells of it too. It is about the spelling, so no part of what may be kept.
      if (usesLegacyNames(query)) context.set({ Deprecation: DEPRECATION, Link: deprecationLink(basePath) });
      const signal = AbortSignal.any([disconnection(context), AbortSignal.timeout(DEADLINE_MS)]);
      const representation = await readFeed(feed, context.params.adType, query, signal);
      answer(context, { ...representation, contentType: 'application/json', cacheControl: FEED_CACHE_CONTROL });
    });
    router.options(path, answerOptions);
  }
  for (const { path, answer: document, headers } of servedDocuments(basePath)) {
    router.get(path, (context) => {
      context.set(headers);
      answer(context, document);
    });
    router.options(path, answerOptions);
  }
  return router;
}

/** What no route has taken: another method of a known path, or an unknown path. RFC 9110 §15.5.5, §15.5.6. */
export function refuseUnrouted({ matched }: RouterContext<RequestState>): never {
  if (matched?.length) throw new Problem(405, `The methods are ${ALLOWED_METHODS}.`, { headers: { Allow: ALLOWED_METHODS } });
  throw new Problem(404, 'There is nothing at this path.');
}

/** RFC 9110 §9.3.7, and what a browser asks before a request of another origin (Fetch, "CORS-preflight request"). */
function answerOptions(context: RouterContext<RequestState>): void {
  context.status = 204;
  context.set({
    Allow: ALLOWED_METHODS,
    'Access-Control-Allow-Methods': ALLOWED_METHODS,
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '86400',
  });
}

/** Aborts when the client goes before it has its answer: nobody waits for the search any more. */
function disconnection({ res }: RouterContext<RequestState>): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
