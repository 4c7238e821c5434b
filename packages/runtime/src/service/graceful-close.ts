import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** How long the connections of a stopping server stay open, in milliseconds. */
export interface CloseLimits {
  /** A connection without a request stays open for this long, because a request may be on its way. */
  lateRequests: number;
  /** After this time, the server resets the connections of the requests that are still in progress. */
  all: number;
}

/** The responses that a server has not finished yet. */
export interface OpenResponses {
  readonly size: number;
  /** Makes every connection close after its last response. */
  announceClose(): void;
  /** Resolves when, for every current response, the client has read the response or disconnected. */
  ended(): Promise<void>;
  /** Resets the connections of all responses that clients have not read yet. */
  breakOff(): void;
}

/**
 * Stops a server without losing a request that its clients have already sent. Node's own `close` resets a
 * keep-alive connection on which the next request has arrived, if a busy process has not read this request
 * yet. Therefore the server first stops listening. It keeps idle connections open for `lateRequests`, and
 * closes each one after its next response, which contains `Connection: close`.
 */
export async function closeGracefully(
  server: Server,
  open: OpenResponses,
  limits: CloseLimits,
): Promise<void> {
  const closed = once(server, 'close');
  for (const event of ['request', 'checkExpectation'])
    if (server.listenerCount(event) > 0)
      server.prependListener(event, (_request, response: ServerResponse) => {
        response.shouldKeepAlive = false;
      });
  TcpServer.prototype.close.call(server);
  open.announceClose();
  const late = setTimeout(() => {
    open.breakOff();
    server.closeAllConnections();
  }, limits.all);
  const waited = Promise.withResolvers<void>();
  const idle = setTimeout(waited.resolve, limits.lateRequests);
  await Promise.race([closed, waited.promise]);
  clearTimeout(idle);
  do {
    await open.ended();
    // The process reads every request that has arrived, even if it was suspended until now. The first turn
    // ends the current read of the sockets, and the second turn contains a complete read.
    await turn();
    await turn();
  } while (open.size > 0);
  clearTimeout(late);
  // Only connections without a request remain, but Node does not count all of them as idle.
  server.closeAllConnections();
  server.close();
  await closed;
}

/**
 * Resets a connection during a transfer. To an HTTP/1.0 client, an ordinary close would look like the end of
 * the content.
 */
export function breakOff(response: ServerResponse): void {
  const { socket } = response;
  if (socket) socket.resetAndDestroy();
  else response.destroy();
}

/** The open responses of a server with few requests. Create this object before the server listens. */
export class TrackedResponses implements OpenResponses {
  readonly #open = new Set<ServerResponse>();

  constructor(server: Server) {
    server.prependListener('request', (_request, response: ServerResponse) => {
      this.#open.add(response);
      response.once('close', () => this.#open.delete(response));
    });
  }

  get size(): number {
    return this.#open.size;
  }

  announceClose(): void {
    const newest = new Map([...this.#open].map((response) => [response.req.socket, response]));
    for (const response of newest.values()) response.shouldKeepAlive = false;
  }

  async ended(): Promise<void> {
    for (const response of this.#open) if (!response.closed) await once(response, 'close');
  }

  breakOff(): void {
    for (const response of this.#open) breakOff(response);
  }
}
