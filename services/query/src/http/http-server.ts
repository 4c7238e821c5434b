import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeGracefully } from '@vitrine/runtime/service';
import { type ClientError, ConnectionRefusal, type RefusalOptions } from './limits/connection-refusal.ts';
import { InFlightResponses } from './limits/in-flight-responses.ts';

/** Limits of the server as a whole and of a single connection. Times are in milliseconds. */
export interface HttpLimits {
  maxConnections: number;
  /** Maximum size of the request line and the headers together, in bytes. */
  maxHeaderSize: number;
  headersTimeout: number;
  requestTimeout: number;
  /** It must exceed a load balancer's idle timeout, or the load balancer may reuse a closed connection. */
  keepAliveTimeout: number;
  /** Timeout for a connection without traffic. */
  idleTimeout: number;
  /** Maximum time from a request until the client has read its response. */
  deliveryTimeout: number;
  /** The interval between checks for late requests and responses. */
  connectionsCheckingInterval: number;
  /**
   * The server closes a connection after this number of requests, so that clients reconnect and spread over
   * all processes.
   */
  maxRequestsPerSocket: number;
  /**
   * Maximum number of unanswered requests on one connection. The server disconnects a client that pipelines
   * more.
   */
  maxPipelined: number;
  /** How long a connection without a request stays open after the server begins to close. */
  lateRequestTimeout: number;
  /** How long requests in flight may continue after the server begins to close. */
  closeTimeout: number;
  /** How long a client has to read a refusal. */
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
  lateRequestTimeout: 3_000,
  closeTimeout: 10_000,
  lingerTimeout: 2_000,
};

export interface HttpServer {
  port: number;
  /** Resolves with an error if the server fails after its start. */
  failed: Promise<Error>;
  /**
   * Stops accepting connections, lets requests in flight end, tells their clients to reconnect, and closes
   * every connection.
   */
  close(): Promise<void>;
  /** Resets the connections of all responses that clients have not read yet. */
  breakOff(): void;
}

/** The reason why the server refused or closed a connection. */
type DisconnectReason = 'connections' | 'pipelining' | 'slow';

export interface ServerEvents {
  /** Called when the server refuses or closes a connection. */
  onDisconnect?: (reason: DisconnectReason) => void;
  countRefusal?: RefusalOptions['count'];
  /** The result of `problemPages`. */
  problemPages?: string;
}

/**
 * Serves `listener` on `port` (0 for any free port) within `limits`. The response to bytes that are not a
 * valid request is also a problem document.
 * @throws Error if the port is in use (EADDRINUSE)
 */
export async function startHttpServer(
  port: number,
  listener: RequestListener,
  limits: HttpLimits = DEFAULT_LIMITS,
  {
    onDisconnect = () => undefined,
    countRefusal = (problem) => problem,
    problemPages = '',
  }: ServerEvents = {},
): Promise<HttpServer> {
  // Node's own refusal of a request without a Host has no body. Therefore the listener refuses such a request
  // with a problem document.
  const server = createServer({ ...limits, requireHostHeader: false });
  server.timeout = limits.idleTimeout;
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.on('timeout', disconnectIdle);
  server.on('drop', () => onDisconnect('connections'));
  // The last response announced that the connection would close. Without this handler, Node would send
  // further responses without a body.
  server.on('dropRequest', (_request, socket: Socket) => socket.destroySoon());
  const underWay = new InFlightResponses(limits, onDisconnect);
  const refusal = new ConnectionRefusal({
    ...limits,
    latestResponse: (socket) => underWay.latest(socket),
    count: countRefusal,
    problemPages,
  });
  server.on('clientError', (error: ClientError, socket: Duplex) =>
    refusal.refuseBytes(error, socket as Socket),
  );
  server.on('connect', (request, socket: Duplex) => refusal.refuseTunnel(request, socket as Socket));
  const take: RequestListener = (request, response) => {
    if (!underWay.admits(request.socket)) return;
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
    close: async () => {
      await closeGracefully(server, underWay, {
        lateRequests: limits.lateRequestTimeout,
        all: limits.closeTimeout,
      });
      underWay.stop();
    },
    breakOff: () => underWay.breakOff(),
  };
}

/**
 * Disconnects a client whose connection has had no traffic. If this process was suspended or busy, the timer
 * fires before the process reads a request that has arrived in time.
 */
function disconnectIdle(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  });
}
