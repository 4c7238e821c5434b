import type { IncomingMessage, ServerResponse } from 'node:http';
import Router, { type RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Page } from '../cache/page.ts';
import type { CacheOutcome } from '../cache/page-cache.ts';
import { ALLOWED_METHODS, DOCUMENT_CACHE_CONTROL, FEED_OPERATIONS } from '../contract/operations.ts';
import { methodNotAllowed, Problem } from '../contract/problem.ts';
import { preconditionsOf } from '../headers/preconditions.ts';
import { readHeader } from '../headers/request-headers.ts';
import { splitUrl } from '../request/query-string.ts';
import type { ServedDocument } from './documents.ts';
import type { AccountOf } from './limits/client-rate-limit.ts';
import type { UnreadBodies } from './limits/unread-bodies.ts';
import { type LegacyHeaders, legacyHeadersOf, type PageResponse, pageResponse } from './page-response.ts';
import type { ReadFeed, ReadPage } from './read-feed.ts';

/** Returns the content type and the body of an error response. */
export type ErrorForm = (problem: Problem) => { contentType: string; body: string };

/** Values that a request's route passes to the surrounding middleware. */
export interface RequestState {
  /** The operation id in the OpenAPI document. It is undefined until a route matches. */
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
  const legacyOf = legacyHeadersOf(`${publicUrl ?? ''}${basePath}`);
  for (const { id, feed, byType } of FEED_OPERATIONS) {
    const path = byType ? `/${feed}/:adType` : `/${feed}`;
    router.get(id, path, async (context) => {
      context.state.operation = id;
      const { query } = splitUrl(context.url);
      const legacy = legacyOf(query);
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
  pages: Pick<FeedPages, 'onServed' | 'cacheControl'>,
  meaning: { operation: string; legacy: LegacyHeaders | undefined },
): Promise<void> {
  context.state.cache = read.outcome;
  const response = await pageFor(
    context.req,
    read,
    pages,
    meaning,
    context.originalUrl,
    variesByHost(context),
  );
  send(context, response);
}

/**
 * Creates the response with a page in the encoding that the request accepts, or a 304.
 * @param url as written in the request line
 * @throws Problem (412) if If-Match fails
 */
export async function pageFor(
  { headers, url = '' }: IncomingMessage,
  read: ReadPage,
  { onServed, cacheControl }: Pick<FeedPages, 'onServed' | 'cacheControl'>,
  meaning: { operation: string; legacy: LegacyHeaders | undefined },
  writtenUrl = url,
  variesByHost = false,
): Promise<PageResponse> {
  const { page } = read;
  const encoding = page.encodingFor(readHeader(headers, 'accept-encoding'));
  const body = page.existingBody(encoding) ?? (await page.body(encoding));
  onServed(writtenUrl, meaning, read);
  const request = { ...preconditionsOf(headers), legacy: meaning.legacy, variesByHost };
  return pageResponse(read, body, request, cacheControl);
}

/** Sends a document or a 304. Documents change only with a new version of the service. */
export async function sendDocument(context: RouterContext<RequestState>, page: Page): Promise<void> {
  const { headers } = context.req;
  const body = await page.body(page.encodingFor(readHeader(headers, 'accept-encoding')));
  const request = { ...preconditionsOf(headers), legacy: undefined, variesByHost: variesByHost(context) };
  send(context, pageResponse({ page, ageSeconds: 0 }, body, request, DOCUMENT_CACHE_CONTROL));
}

/** Returns whether the response depends on the Host header. If so, `originOf` has added it to Vary. */
const variesByHost = ({ response }: RouterContext<RequestState>): boolean =>
  response.get('Vary').includes('Host');

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
export function disconnection({ res }: { res: ServerResponse }): AbortSignal {
  const disconnected = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
