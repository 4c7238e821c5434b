import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import { breakOff } from '@vitrine/runtime/service';
import { invalidParameters } from '../contract/problem.ts';
import { readHeader } from '../headers/request-headers.ts';
import { readExportRequest } from '../request/export-request.ts';
import { splitUrl } from '../request/query-string.ts';
import { changesUrl } from '../response/changes-response.ts';
import { chooseEncoding, encodeStream } from '../response/content-encoding.ts';
import { EXPORT_TYPE, exportLines } from '../response/export-lines.ts';
import { FeedUnavailable } from '../search/search-failure.ts';
import type { CompleteItem } from '../stored/complete-item.ts';
import type { ExportOutcome } from '../telemetry/metrics.ts';
import { originOf } from './documents.ts';
import { markSelfPaced } from './limits/in-flight-responses.ts';
import type { ReadChanges } from './read-changes.ts';
import type { ReadPage } from './read-feed.ts';
import { disconnection, type FeedPages, type RequestState, respondToOptions, sendPage } from './routes.ts';
import { exportOutcome, type Pace, type RunningExports, sendStream, TooManyExports } from './send-export.ts';

type Context = RouterContext<RequestState>;

export interface ChangesSource {
  read: ReadChanges;
  /**
   * Called after the route has read a page, so that the cache fast path can serve the page.
   * @param url as written in the request line
   * @param host the only Host for which the page is valid. It is undefined if PUBLIC_URL is set.
   */
  onServed(url: string, host: string | undefined, read: ReadPage): void;
  /** Returns the change number at which an export's client continues. */
  exportNumber(signal: AbortSignal): Promise<number>;
  /** Reads the items after an id in slices, in ascending order of their ids. */
  exportItems(after: string | undefined, signal: AbortSignal): AsyncGenerator<CompleteItem[]>;
  exports: RunningExports;
  /** Returns the client that sent a request, as the rate limit sees it. */
  clientOf(request: IncomingMessage): string;
  /** The slowest pace at which a client may read an export. */
  pace: Pace;
  onExport(outcome: ExportOutcome): void;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
}

export interface ChangesRoutesOptions {
  basePath: string;
  publicUrl: string | undefined;
  source: ChangesSource;
  pages: Pick<FeedPages, 'cacheControl'>;
  /** Called when an export fails after its beginning was sent. */
  onFailure(error: unknown, request: { requestId: string; url: string }): void;
}

/** Adds the routes for changes and exports. */
export function addChangesRoutes(router: Router<RequestState>, options: ChangesRoutesOptions): void {
  const { basePath, publicUrl, source, pages, onFailure } = options;
  const baseOf = (context: Context) => `${publicUrl ?? originOf(context)}${basePath}`;

  router.get('getChanges', '/changes', async (context) => {
    context.state.operation = 'getChanges';
    const { query } = splitUrl(context.url);
    const read = await source.read(query, baseOf(context), disconnection(context));
    const host = publicUrl === undefined ? (context.req.headers.host ?? '') : undefined;
    await sendPage(
      context,
      read,
      { ...pages, onServed: (url, _, served) => source.onServed(url, host, served) },
      { operation: 'getChanges', legacy: undefined },
    );
  });
  router.options('/changes', respondToOptions);

  router.get('getExport', '/export', async (context) => {
    context.state.operation = 'getExport';
    const request = readExportRequest(splitUrl(context.url).query);
    if ('bad' in request) throw invalidParameters(request.bad);
    try {
      // HEAD sends no items, so it does not count as a running export.
      if (context.method === 'HEAD') return await respondWithExport(context, request.after);
      const client = source.clientOf(context.req);
      await source.exports.run(client, () => respondWithExport(context, request.after));
    } catch (error) {
      if (error instanceof TooManyExports) source.onExport(error.isOfClient ? 'over_share' : 'refused');
      else if (source.stopping.aborted)
        throw new FeedUnavailable('the service is stopping', { cause: error });
      throw error;
    }
  });
  router.options('/export', respondToOptions);

  async function respondWithExport(context: Context, after: string | undefined): Promise<void> {
    const disconnected = disconnection(context);
    const ended = AbortSignal.any([disconnected, source.stopping]);
    // The number is read before the first snapshot, so the changes contain everything that the snapshot may
    // lack.
    const number = await source.exportNumber(ended);
    const slices = source.exportItems(after, ended);
    try {
      // A failure before the first slice still results in an ordinary problem response.
      const first = context.method === 'HEAD' ? undefined : await slices.next();
      // No item follows the id. Only such a response has a length, which proves to the client that its copy
      // is complete. The end of a connection proves nothing (docs/decisions/0089-end-of-an-export.md).
      const isEnd = first?.done === true;
      const encoding = isEnd
        ? undefined
        : chooseEncoding(readHeader(context.req.headers, 'accept-encoding'), true);
      context.status = 200;
      context.set({
        'Content-Type': EXPORT_TYPE,
        'Cache-Control': 'no-store',
        Link: `<${changesUrl(baseOf(context), number)}>; rel="next"`,
        ...(encoding && { 'Content-Encoding': encoding }),
        ...(isEnd && { 'Content-Length': '0' }),
      });
      if (!first) return;
      const content = encodeStream(exportLines(resumed(first, slices)), encoding);
      await sendExport(context, content, disconnected);
    } finally {
      await slices.return(undefined);
    }
  }

  async function sendExport(
    context: Context,
    content: AsyncIterable<Buffer>,
    disconnected: AbortSignal,
  ): Promise<void> {
    // Koa would leave the connection of a failed stream open.
    context.respond = false;
    const { res: response } = context;
    markSelfPaced(response);
    try {
      await sendStream(response, content, source.pace, AbortSignal.any([disconnected, source.stopping]));
      source.onExport('complete');
    } catch (error) {
      breakOff(response);
      const outcome = exportOutcome(error, disconnected, source.stopping);
      source.onExport(outcome);
      if (outcome === 'failed')
        onFailure(error, { requestId: context.response.get('X-Request-Id'), url: context.originalUrl });
    }
  }
}

/** Continues a generator whose first result has already been read. */
async function* resumed<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (!first.done) yield first.value;
  yield* rest;
}
