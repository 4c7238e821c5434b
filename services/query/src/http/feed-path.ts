import type { IncomingMessage, ServerResponse } from 'node:http';
import { FEED_OPERATIONS, type FeedOperation, MAX_URL_BYTES } from '../contract/operations.ts';
import { problemPages, problemResponse } from '../contract/problem.ts';
import { splitUrl } from '../request/query-string.ts';
import type { AppOptions } from './app.ts';
import { legacyHeadersOf, type PageResponse } from './page-response.ts';
import { createRequestOutcomes, isDisconnected } from './request-outcome.ts';
import { disconnection, type FeedPages, pageFor } from './routes.ts';

/**
 * Answers a request, unless Koa must answer it.
 * @param extra headers in addition to those of the response, as alternating names and values
 * @param requestId the request's id, which `extra` contains
 * @returns whether this function answers
 */
export type FeedPath = (
  request: IncomingMessage,
  response: ServerResponse,
  extra: readonly string[],
  requestId: string,
) => boolean;

/**
 * Creates the path for ordinary pages, that is, for GET and HEAD requests for a whole feed with a URL in the
 * usual form. Such a request needs nothing from Koa and its router. Each step calls the same function as
 * Koa's route for the feed (docs/decisions/0135-thin-path-of-a-page.md).
 */
export function createFeedPath({
  basePath,
  publicUrl,
  pages,
  metrics,
  log,
  failures,
}: Pick<AppOptions, 'basePath' | 'publicUrl' | 'pages' | 'metrics' | 'log' | 'failures'>): FeedPath {
  const outcomes = createRequestOutcomes(metrics, log, failures);
  const typesOfProblems = problemPages(basePath, publicUrl);
  const operations = new Map(
    FEED_OPERATIONS.filter(({ byType }) => !byType).map((each) => [`${basePath}/${each.feed}`, each]),
  );
  const legacyOf = legacyHeadersOf(`${publicUrl ?? ''}${basePath}`);

  const respond = async (
    { id: operation, feed }: FeedOperation,
    query: string,
    exchange: { req: IncomingMessage; res: ServerResponse },
    extra: readonly string[],
    requestId: string,
  ): Promise<void> => {
    const { req, res } = exchange;
    const start = performance.now();
    const url = req.url ?? '';
    const legacy = legacyOf(query);
    let cache: Awaited<ReturnType<FeedPages['read']>>['outcome'] | undefined;
    let page: PageResponse | undefined;
    let refusal: { status: number; headers: string[]; body: string } | undefined;
    try {
      const read = await pages.read(feed, undefined, query, disconnection(exchange), pages.accountOf(req));
      cache = read.outcome;
      page = await pageFor(req, read, pages, { operation, legacy });
    } catch (error) {
      const problem = outcomes.failed(exchange, error, { requestId, url });
      if (problem) {
        const more = legacy && { Deprecation: legacy.deprecation, Link: legacy.link };
        const { headers, body } = problemResponse(problem, typesOfProblems, more);
        refusal = { status: problem.status, headers: Object.entries(headers).flat(), body };
      }
    }
    const answer = page ?? refusal;
    outcomes.handled(exchange, { operation, status: answer?.status ?? 0, start, cache, requestId, url });
    if (!answer || isDisconnected(exchange)) return;
    res.writeHead(answer.status, [...answer.headers, ...extra]).end(answer.body);
    if (page?.body) pages.unread.add(page.body, res);
  };

  return (req, res, extra, requestId) => {
    const { method, url = '' } = req;
    if ((method !== 'GET' && method !== 'HEAD') || url.length > MAX_URL_BYTES || url.includes('#'))
      return false;
    const { path, query } = splitUrl(url);
    const operation = operations.get(path);
    if (operation === undefined) return false;
    respond(operation, query, { req, res }, extra, requestId).catch(() => res.destroy());
    return true;
  };
}
