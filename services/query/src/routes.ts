import Router, { type RouterContext } from '@koa/router';
import { answer } from './answer.ts';
import { DEPRECATION, deprecationLink, usesLegacyNames } from './deprecation.ts';
import { servedDocuments } from './documents.ts';
import { ALLOWED_METHODS, FEED_OPERATIONS } from './operations.ts';
import { type LegacyHeaders, pageAnswer } from './page-answer.ts';
import type { Outcome } from './page-cache.ts';
import { Problem } from './problem.ts';
import type { ReadFeed, ReadPage } from './read-feed.ts';
import { splitTarget } from './request-target.ts';

/** What a request leaves for the middleware around it. */
export interface RequestState {
  /** The operation id of the API document, once one is matched. */
  operation?: string;
  /** How it came to its page. */
  cache?: Outcome;
}

/** Where the feeds' pages come from. */
export interface FeedPages {
  read: ReadFeed;
  /** The value of Cache-Control. */
  cacheControl: string;
  /** What is to be known of a request target whose page was served; `target` as the request line has it. */
  served(target: string, meaning: { operation: string; legacy: LegacyHeaders | undefined }, read: ReadPage): void;
}

/** The four operations below `basePath`, their description, and the reference; each for GET, HEAD and OPTIONS. */
export function feedRoutes(basePath: string, pages: FeedPages): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: basePath, sensitive: true, strict: true });
  const told: LegacyHeaders = { deprecation: DEPRECATION, link: deprecationLink(basePath) };
  for (const { id, feed, byType } of FEED_OPERATIONS) {
    const path = byType ? `/${feed}/:adType` : `/${feed}`;
    router.get(id, path, async (context) => {
      context.state.operation = id;
      const { query } = splitTarget(context.url);
      const legacy = usesLegacyNames(query) ? told : undefined;
      // Before all that may fail: a refusal tells of it too.
      if (legacy) context.set({ Deprecation: legacy.deprecation, Link: legacy.link });
      const read = await pages.read(feed, context.params.adType, query, disconnection(context));
      context.state.cache = read.outcome;
      const body = await read.page.in(read.page.codingFor(context.get('Accept-Encoding')));
      pages.served(context.originalUrl, { operation: id, legacy }, read);
      const answer = pageAnswer(read, body, { ifNoneMatch: context.get('If-None-Match') || undefined, legacy }, pages.cacheControl);
      context.status = answer.status;
      for (let i = 0; i < answer.headers.length; i += 2) context.set(answer.headers[i] ?? '', answer.headers[i + 1] ?? '');
      if (answer.body) context.body = answer.body;
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
