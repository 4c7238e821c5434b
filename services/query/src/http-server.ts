import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AnswersUnderWay } from './answers-under-way.ts';
import { ALLOWED_METHODS, MAX_TARGET_BYTES } from './operations.ts';
import { COMMON_HEADERS, PROBLEM_TYPE, Problem, uriTooLong } from './problem.ts';

/** What the clients may take of the service, together and on one connection. Times in milliseconds. */
export interface HttpLimits {
  maxConnections: number;
  /** Bytes of request line and headers. */
  maxHeaderSize: number;
  headersTimeout: number;
  requestTimeout: number;
  /** Longer than a load balancer keeps a connection alive (60 s). */
  keepAliveTimeout: number;
  /** A connection on which nothing moves. */
  idleTimeout: number;
  /** From the request until its answer has been read by the client. */
  deliveryTimeout: number;
  /** How often late requests and answers are looked for. */
  connectionsCheckingInterval: number;
  /** After so many the connection is closed, so that clients spread anew over processes. */
  maxRequestsPerSocket: number;
  /** Requests on one connection that have no answer yet: who pipelines more than that is cut off. */
  maxPipelined: number;
  /** How long requests under way may take to end once the server closes. */
  closeTimeout: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  maxConnections: 4_096,
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  idleTimeout: 60_000,
  deliveryTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  maxRequestsPerSocket: 100_000,
  maxPipelined: 64,
  closeTimeout: 10_000,
};

export interface HttpServer {
  port: number;
  /** Settles if the server fails later. */
  failed: Promise<Error>;
  /** Takes no more connections, lets requests under way end, tells their clients to go, and closes every connection. */
  close(): Promise<void>;
}

/** Why a connection was refused or cut. */
type Cut = 'connections' | 'pipelining' | 'slow';

/**
 * Serves `listener` on `port` (0 = any free one) within `limits`; what never becomes a request is
 * answered with a problem document too.
 * @throws when the port is taken (EADDRINUSE).
 */
export async function startHttpServer(
  port: number,
  listener: RequestListener,
  limits: HttpLimits = DEFAULT_LIMITS,
  onCut: (reason: Cut) => void = () => undefined,
): Promise<HttpServer> {
  // A missing Host is refused by the app, as a problem document; Node's own refusal has no body.
  const server = createServer({ ...limits, requireHostHeader: false });
  server.timeout = limits.idleTimeout;
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.on('drop', () => onCut('connections'));
  // Its last answer said that the connection closes; Node would go on with answers that say nothing.
  server.on('dropRequest', (_request, socket: Socket) => socket.destroySoon());
  server.on('clientError', answerClientError);
  const underWay = new AnswersUnderWay(limits, onCut);
  let closing = false;
  const take: RequestListener = (request, response) => {
    if (!underWay.admits(request.socket)) return;
    if (closing) response.shouldKeepAlive = false;
    listener(request, response);
    underWay.add(request.socket, response);
  };
  server.on('request', take);
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    socket.end(rawResponse(new Problem(405, `The methods are ${ALLOWED_METHODS}.`, { headers: { Allow: ALLOWED_METHODS } })));
  });
  server.listen(port);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    failed: once(server, 'error').then(([error]) => error as Error),
    close: () => {
      closing = true;
      return close(server, underWay, limits.closeTimeout);
    },
  };
}

/** What Node says of bytes that are no HTTP request; `rawPacket` is the last packet of them. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Bytes that are no HTTP request, or took too long to become one. */
function answerClientError(error: ClientError, socket: Duplex & { _httpMessage?: ServerResponse }): void {
  // In the middle of an answer, other bytes would be taken for a part of it.
  if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(rawResponse(clientProblem(error)));
}

function clientProblem({ code, rawPacket }: ClientError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW' && rawPacket && beginsWithLongTarget(rawPacket)) return uriTooLong();
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem(431, 'The request line and headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem(408, 'The request did not arrive in time.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Problem(413, 'The chunk extensions are too large.');
  return new Problem(400, 'This is not an HTTP request.');
}

/** Node counts request line and headers as one; where the packet has the line's beginning, it tells which of them is too long. */
function beginsWithLongTarget(packet: Buffer): boolean {
  const [, target = ''] = /^[A-Z]+ ([^ \r\n]*)/.exec(packet.toString('latin1')) ?? [];
  return target.length > MAX_TARGET_BYTES;
}

function rawResponse({ status, headers, body }: Problem): string {
  const all = {
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

async function close(server: Server, underWay: AnswersUnderWay, closeTimeout: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  underWay.last();
  const late = setTimeout(() => server.closeAllConnections(), closeTimeout);
  await underWay.ended();
  clearTimeout(late);
  // What is left are connections without a request; Node does not call all of them idle.
  server.closeAllConnections();
  await closed;
}
