import Router, { type RouterContext } from '@koa/router';
import { namesEtag } from './etag.ts';
import type { FeedName } from './feed-request.ts';
import { Problem } from './problem.ts';
import type { ReadFeed } from './read-feed.ts';
import { splitTarget } from './request-target.ts';

/** What a request leaves for the middleware around it. */
export interface RequestState {
  /** The operation id of the API document, once one is matched. */
  operation?: string;
}

/** The API document's "Endpoints". */
const OPERATIONS: { id: string; path: string; feed: FeedName }[] = [
  { id: 'getPublicFeed', path: '/public-feed', feed: 'public-feed' },
  { id: 'getPublicFeedByType', path: '/public-feed/:adType', feed: 'public-feed' },
  { id: 'getAiFeed', path: '/ai-feed', feed: 'ai-feed' },
  { id: 'getAiFeedByType', path: '/ai-feed/:adType', feed: 'ai-feed' },
];

export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';
/** How long an answer may be served again without asking. */
const CACHE_CONTROL = 'public, max-age=5';
/** A request takes no longer than this, whatever Elasticsearch does. */
const DEADLINE_MS = 8_000;

/** The four operations below `basePath`, each for GET, HEAD and OPTIONS. */
export function feedRoutes(basePath: string, readFeed: ReadFeed): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: basePath, sensitive: true, strict: true });
  for (const { id, path, feed } of OPERATIONS) {
    router.get(id, path, async (context) => {
      context.state.operation = id;
      const { query } = splitTarget(context.url);
      const signal = AbortSignal.any([disconnection(context), AbortSignal.timeout(DEADLINE_MS)]);
      const { body, etag } = await readFeed(feed, context.params.adType, query, signal);
      context.set({ ETag: etag, 'Cache-Control': CACHE_CONTROL });
      if (namesEtag(context.get('If-None-Match') || undefined, etag)) {
        context.status = 304;
        return;
      }
      context.set('Content-Type', 'application/json');
      context.body = body;
    });
    router.options(path, answerOptions);
  }
  return router;
}

/** What no route has taken: another method of a known path, or an unknown path. */
export function refuseUnrouted({ matched }: RouterContext<RequestState>): never {
  if (matched?.length) throw new Problem(405, `The methods are ${ALLOWED_METHODS}.`, { headers: { Allow: ALLOWED_METHODS } });
  throw new Problem(404, 'There is nothing at this path.');
}

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
