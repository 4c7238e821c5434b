import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AnswersUnderWay } from './answers-under-way.ts';
import { type ClientError, ConnectionRefusal, type RefusalOptions } from './connection-refusal.ts';

/** The limits of all clients together, and of one connection. Times in milliseconds. */
export interface HttpLimits {
  maxConnections: number;
  /** Bytes of request line and headers. */
  maxHeaderSize: number;
  headersTimeout: number;
  requestTimeout: number;
  /** Longer than a load balancer keeps a connection alive (60 s). */
  keepAliveTimeout: number;
  /** For a connection without traffic. */
  idleTimeout: number;
  /** From the request until its answer has been read by the client. */
  deliveryTimeout: number;
  /** Interval of the checks for late requests and responses. */
  connectionsCheckingInterval: number;
  /** The connection is closed after this number, so that clients spread over processes again. */
  maxRequestsPerSocket: number;
  /** Requests on one connection without a response yet. A client that pipelines more is cut off. */
  maxPipelined: number;
  /** How long requests in flight may take to end once the server closes. */
  closeTimeout: number;
  /** How long a refused client may take to read the refusal. */
  lingerTimeout: number;
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
  lingerTimeout: 2_000,
};

export interface HttpServer {
  port: number;
  /** Settles if the server fails later. */
  failed: Promise<Error>;
  /** Takes no more connections, lets requests in flight end, tells their clients to reconnect, and closes every connection. */
  close(): Promise<void>;
}

/** Why a connection was refused or cut. */
type Cut = 'connections' | 'pipelining' | 'slow';

export interface ServerEvents {
  /** A connection was refused or cut. */
  onCut?: (reason: Cut) => void;
  countRefusal?: RefusalOptions['count'];
}

/**
 * Serves `listener` on `port` (0 = any free one) within `limits`. Bytes that never become a request are answered with
 * a problem document too.
 * @throws when the port is taken (EADDRINUSE).
 */
export async function startHttpServer(
  port: number,
  listener: RequestListener,
  limits: HttpLimits = DEFAULT_LIMITS,
  { onCut = () => undefined, countRefusal = (problem) => problem }: ServerEvents = {},
): Promise<HttpServer> {
  // The listener refuses a missing Host with a problem document. Node's own refusal has no body.
  const server = createServer({ ...limits, requireHostHeader: false });
  server.timeout = limits.idleTimeout;
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.on('drop', () => onCut('connections'));
  // The last response announced the close. Node would send further responses without a body.
  server.on('dropRequest', (_request, socket: Socket) => socket.destroySoon());
  const underWay = new AnswersUnderWay(limits, onCut);
  const refusal = new ConnectionRefusal({ ...limits, newest: (socket) => underWay.newest(socket), count: countRefusal });
  server.on('clientError', (error: ClientError, socket: Duplex) => refusal.refuseBytes(error, socket as Socket));
  server.on('connect', (request, socket: Duplex) => refusal.refuseTunnel(request, socket as Socket));
  let closing = false;
  const take: RequestListener = (request, response) => {
    if (!underWay.admits(request.socket)) return;
    if (closing) response.shouldKeepAlive = false;
    listener(request, response);
    underWay.add(request.socket, response);
  };
  server.on('request', take);
  server.on('checkExpectation', take);
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

async function close(server: Server, underWay: AnswersUnderWay, closeTimeout: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  underWay.last();
  const late = setTimeout(() => server.closeAllConnections(), closeTimeout);
  await underWay.ended();
  clearTimeout(late);
  // Only connections without a request are left. Node does not count all of them as idle.
  server.closeAllConnections();
  await closed;
}
