import Router, { type RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { EncodedBody, Page } from '../cache/page.ts';
import type { CacheOutcome } from '../cache/page-cache.ts';
import { ALLOWED_METHODS, DOCUMENT_CACHE_CONTROL, FEED_OPERATIONS } from '../contract/operations.ts';
import { methodNotAllowed, Problem } from '../contract/problem.ts';
import { preconditionsOf } from '../headers/preconditions.ts';
import { readHeader } from '../headers/request-headers.ts';
import { DEPRECATION, deprecationLink, usesLegacyNames } from '../request/deprecation.ts';
import { splitUrl } from '../request/query-string.ts';
import type { AccountOf } from './client-rate-limit.ts';
import type { ServedDocument } from './documents.ts';
import { type LegacyHeaders, type PageRequest, type PageResponse, pageResponse } from './page-response.ts';
import type { ReadFeed, ReadPage } from './read-feed.ts';
import type { UnreadBodies } from './unread-bodies.ts';

/** Returns the content type and the body of an error response. */
export type ErrorForm = (problem: Problem) => { contentType: string; body: string };

/** Values that a request's route passes to the surrounding middleware. */
export interface RequestState {
  /** The operation id in the OpenAPI document. Undefined until a route matches. */
  operation?: string;
  /** How the request obtained its page. */
  cache?: CacheOutcome;
  /** The form of error responses, if the route's protocol has one. The default is a problem document. */
  errorForm?: ErrorForm;
}

/** The source of the feeds' pages. */
export interface FeedPages {
  read: ReadFeed;
  accountOf: AccountOf;
  /** The Cache-Control value. */
  cacheControl: string;
  /**
   * Called after a route has read a page, so that the cache fast path can serve the page.
   * @param url as written in the request line
   */
  onServed(
    url: string,
    meaning: { operation: string; legacy: LegacyHeaders | undefined },
    read: ReadPage,
  ): void;
  /** Limits the total size of the bodies that clients have not read yet. */
  unread: UnreadBodies;
}

/**
 * Creates the routes for the four operations and the documents below `basePath`, each for GET, HEAD and
 * OPTIONS.
 * @param publicUrl the setting PUBLIC_URL
 */
export function feedRoutes(
  basePath: string,
  pages: FeedPages,
  documents: readonly ServedDocument[],
  publicUrl?: string,
): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: basePath, sensitive: true, strict: true });
  const deprecationHeaders: LegacyHeaders = {
    deprecation: DEPRECATION,
    link: deprecationLink(`${publicUrl ?? ''}${basePath}`),
  };
  for (const { id, feed, byType } of FEED_OPERATIONS) {
    const path = byType ? `/${feed}/:adType` : `/${feed}`;
    router.get(id, path, async (context) => {
      context.state.operation = id;
      const { query } = splitUrl(context.url);
      const legacy = usesLegacyNames(query) ? deprecationHeaders : undefined;
      // These headers are set before the request can fail, so that a refusal has them too.
      if (legacy) context.set({ Deprecation: legacy.deprecation, Link: legacy.link });
      const read = await pages.read(
        feed,
        context.params.adType,
        query,
        disconnection(context),
        pages.accountOf(context.req),
      );
      await sendPage(context, read, pages, { operation: id, legacy });
    });
    router.options(path, respondToOptions);
  }
  for (const { path, page, operation } of documents) {
    router.get(path, (context) => {
      if (operation !== undefined) context.state.operation = operation;
      return sendDocument(context, page);
    });
    router.options(path, respondToOptions);
  }
  return router;
}

/** Sends a page in the encoding that the request accepts, or a 304. */
export async function sendPage(
  context: RouterContext<RequestState>,
  read: ReadPage,
  { onServed, cacheControl, unread }: Omit<FeedPages, 'read' | 'accountOf'>,
  meaning: { operation: string; legacy: LegacyHeaders | undefined },
): Promise<void> {
  context.state.cache = read.outcome;
  const body = await encoded(read.page, context);
  onServed(context.originalUrl, meaning, read);
  const response = pageResponse(read, body, pageRequest(context, meaning.legacy), cacheControl);
  send(context, response);
  if (response.body) unread.add(response.body, context.res);
}

/** Sends a document, which changes only with a new version of the service, or a 304. */
export async function sendDocument(context: RouterContext<RequestState>, page: Page): Promise<void> {
  const body = await encoded(page, context);
  const request = pageRequest(context, undefined);
  send(context, pageResponse({ page, ageSeconds: 0 }, body, request, DOCUMENT_CACHE_CONTROL));
}

const pageRequest = (
  { req, response }: RouterContext<RequestState>,
  legacy: LegacyHeaders | undefined,
): PageRequest => ({
  ...preconditionsOf(req.headers),
  legacy,
  // `originOf` has added it.
  variesByHost: response.get('Vary').includes('Host'),
});

/** Returns the body in the encoding that the request accepts. */
const encoded = (page: Page, { req }: RouterContext<RequestState>): Promise<EncodedBody> =>
  page.body(page.encodingFor(readHeader(req.headers, 'accept-encoding')));

function send(context: RouterContext<RequestState>, { status, headers, body }: PageResponse): void {
  context.status = status;
  for (let i = 0; i < headers.length; i += 2) context.res.setHeader(headers[i] ?? '', headers[i + 1] ?? '');
  if (body) context.body = body;
}

/**
 * Refuses a request without a route: a wrong method for a known path, or an unknown path. RFC 9110 §15.5.5,
 * §15.5.6.
 */
export function refuseUnrouted({ matched }: RouterContext<RequestState>): never {
  if (matched?.length) throw methodNotAllowed();
  throw new Problem('unknown-path', 'This path does not exist.');
}

/** The methods of the routes that read a body. */
export const POST_METHODS = 'POST, OPTIONS';

/**
 * Responds to OPTIONS (RFC 9110 §9.3.7), including the preflight request that a browser sends for another
 * origin (Fetch, "CORS-preflight request").
 */
const optionsOf =
  (methods: string) =>
  (context: Context): void => {
    context.status = 204;
    context.set({
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      // `*` never covers Authorization. A service that requires this header must name it here.
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': '86400',
    });
  };
export const respondToOptions = optionsOf(ALLOWED_METHODS);
export const respondToPostOptions = optionsOf(POST_METHODS);

/** Creates a signal that aborts if the client disconnects before it has received the response. */
export function disconnection({ res }: RouterContext<RequestState>): AbortSignal {
  const disconnected = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
