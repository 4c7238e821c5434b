import { type Client, type DiagnosticResult, errors, UndiciConnection } from '@elastic/elasticsearch';
import type { ResponsePieces, ResponseReader } from './response-reader.ts';

export interface Sender {
  elasticsearch: Client;
  /** Reads responses within the memory limits. */
  responses: ResponseReader;
}

export interface PostOptions {
  /** Number of documents that the response may contain. */
  hits: number;
  /** Maximum size of the response, if it is below the limit for every response. */
  maxBytes?: number | undefined;
  /** Identifies the search in Elasticsearch's task list and slow log. */
  opaqueId: string;
  signal: AbortSignal;
}

/** A response as bytes. The client library would parse the documents, which the service serves unparsed. */
interface SearchBytes {
  status: number;
  bytes: Buffer;
}

/** Posts a JSON body. @throws the errors from the client library; PageTooLarge, Overloaded */
export type SendSearch = (
  sender: Sender,
  path: string,
  body: object,
  options: PostOptions,
) => Promise<SearchBytes>;

const PRODUCT = 'Elasticsearch';
/** The library's media type, with which a newer Elasticsearch responds as version 9 does. */
const JSON_TYPE = 'application/vnd.elasticsearch+json; compatible-with=9';

interface Post {
  path: string;
  body: string;
  opaqueId: string;
  signal: AbortSignal;
  /**
   * Whether another node gets the request if the connection fails. The metric then counts only the attempt at
   * that node.
   */
  isRepeated: boolean;
}

/**
 * Sends a search through the client library's connections, but without its transport and its streams, which
 * cost more CPU time than the rest of an ordinary page (docs/decisions/0135-thin-path-of-a-page.md). The
 * nodes, the credentials, the timeouts, the errors and the metric are the library's. As with the library's
 * streamed responses, a search whose connection fails is tried once on each of the other nodes. Nothing else
 * is repeated.
 */
export const sendDirectly: SendSearch = async (
  { elasticsearch, responses },
  path,
  body,
  { hits, maxBytes, opaqueId, signal },
) => {
  const request = { path, body: JSON.stringify(body), opaqueId, signal };
  const { connectionPool, transport } = elasticsearch;
  for (let others = connectionPool.size - 1; ; others--) {
    const connection = transport.getConnection({ requestId: opaqueId, context: null });
    if (!(connection instanceof UndiciConnection))
      throw new errors.NoLivingConnectionsError('There are no living connections', resultOf(path));
    const pieces = responses.collect(hits, maxBytes);
    try {
      const status = await post(elasticsearch, connection, { ...request, isRepeated: others > 0 }, pieces);
      return { status, bytes: await pieces.whole() };
    } catch (error) {
      const isRefused = error instanceof errors.ConnectionError;
      if (isRefused || error instanceof errors.TimeoutError) connectionPool.markDead(connection);
      if (!isRefused || others <= 0) throw error;
    } finally {
      pieces.close();
    }
  }
};

/** Resolves with the status when the response has ended. `pieces` then contains its body. */
function post(
  { diagnostic }: Client,
  { pool, url, headers }: UndiciConnection,
  { path, body, opaqueId, signal, isRepeated }: Post,
  pieces: ResponsePieces,
): Promise<number> {
  const prefix = url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '');
  const result = resultOf(path);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    let controller: Controller | undefined;
    let status = 0;
    let hasFailed = false;
    /** Reports the end of the request, or the beginning of its response, as the library does. */
    const report = (error: errors.ElasticsearchClientError | null) => {
      result.meta.duration = performance.now() - startedAt;
      diagnostic.emit('response', error, result);
    };
    const fail = (error: unknown) => {
      if (hasFailed) return;
      hasFailed = true;
      signal.removeEventListener('abort', abort);
      // Once the headers have arrived, Elasticsearch has completed the search, and the stream's error
      // suffices.
      if (status !== 0) return reject(error);
      const failure = libraryError(error, url, result);
      if (!isRepeated || !(failure instanceof errors.ConnectionError)) report(failure);
      reject(failure);
    };
    const abort = () => {
      // Once the headers have arrived, the reason shows whether a time limit has passed or the client has
      // disconnected.
      const reason =
        status === 0 ? new errors.RequestAbortedError('Request aborted', result) : (signal.reason as Error);
      if (controller) controller.abort(reason);
      else fail(reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    pool.dispatch(
      {
        method: 'POST',
        path: `${prefix}${path}`,
        headers: { ...headers, 'content-type': JSON_TYPE, accept: JSON_TYPE, 'x-opaque-id': opaqueId },
        body,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (signal.aborted) abort();
        },
        onResponseStart(_, code, received) {
          if (code < 200) return;
          result.statusCode = code;
          if (code < 300 && received['x-elastic-product'] !== PRODUCT) {
            controller?.abort(new errors.ProductNotSupportedError(PRODUCT, result));
            return;
          }
          status = code;
          report(null);
        },
        onResponseData(_, piece) {
          const refusal = pieces.add(piece);
          if (refusal) controller?.abort(refusal);
        },
        onResponseEnd() {
          signal.removeEventListener('abort', abort);
          resolve(status);
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

type Handler = Parameters<UndiciConnection['pool']['dispatch']>[1];
type Controller = Parameters<NonNullable<Handler['onRequestStart']>>[0];

/**
 * The data that the library reports about a request. It contains neither the headers with the credentials nor
 * the body.
 */
const resultOf = (path: string): DiagnosticResult => ({
  statusCode: 0,
  headers: {},
  warnings: null,
  meta: {
    context: null,
    name: 'elasticsearch-js',
    request: { params: { method: 'POST', path }, options: {}, id: undefined },
    connection: null,
    attempts: 0,
    aborted: false,
  },
});

interface UndiciError extends NodeJS.ErrnoException {
  socket?: Partial<Record<'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort', unknown>>;
}

/** Converts an error from undici as the library does, with the same messages. */
function libraryError(error: unknown, url: URL, result: DiagnosticResult): errors.ElasticsearchClientError {
  if (error instanceof errors.ElasticsearchClientError) return error;
  const { code, message, socket } = error as UndiciError;
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return new errors.TimeoutError('Request timed out', result);
  // If a name has several addresses and none accepts a connection, Node's error has no message.
  const reason = message || `connection failed (${url})`;
  const ends =
    code === 'UND_ERR_SOCKET'
      ? ` - Local: ${endOf(socket?.localAddress, socket?.localPort)}, ` +
        `Remote: ${endOf(socket?.remoteAddress, socket?.remotePort)}`
      : '';
  return new errors.ConnectionError(reason + ends, result, { redaction: { type: 'remove' }, cause: error });
}

const endOf = (address: unknown = 'unknown', port: unknown = 'unknown'): string => `${address}:${port}`;
