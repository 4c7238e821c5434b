import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface DeliveryLimits {
  /** Milliseconds from a request until its client has read the response. */
  deliveryTimeout: number;
  /** Milliseconds between checks for late responses. */
  connectionsCheckingInterval: number;
  /** Requests on one connection without a response yet. */
  maxPipelined: number;
}

/**
 * Tracks the responses that clients have not read yet. Disconnects clients that read too slowly, because
 * unread responses take memory, and clients that pipeline requests without reading responses.
 */
export class InFlightResponses {
  readonly #startedAt = new Map<ServerResponse, number>();
  readonly #perSocket = new Map<Socket, number>();
  readonly #latest = new WeakMap<Socket, ServerResponse>();
  readonly #limits: DeliveryLimits;
  readonly #timer: NodeJS.Timeout;
  readonly #onDisconnect: (reason: 'pipelining' | 'slow') => void;

  constructor(limits: DeliveryLimits, onCut: (reason: 'pipelining' | 'slow') => void) {
    this.#limits = limits;
    this.#onDisconnect = onCut;
    this.#timer = setInterval(() => this.#disconnectSlow(), limits.connectionsCheckingInterval).unref();
  }

  /** Whether `socket` may have another request in progress. If not, this closes the connection. */
  admits(socket: Socket): boolean {
    if ((this.#perSocket.get(socket) ?? 0) < this.#limits.maxPipelined) return true;
    // Node parses the rest of a packet even after the connection is closed.
    if (!socket.destroyed) this.#onDisconnect('pipelining');
    socket.destroy();
    return false;
  }

  /**
   * Call this after the listener has accepted the request. A response that has already been sent is not
   * tracked.
   */
  add(socket: Socket, response: ServerResponse): void {
    this.#latest.set(socket, response);
    if (response.writableEnded && response.socket && socket.writableLength === 0) return;
    this.#startedAt.set(response, performance.now());
    response.once('close', () => this.#startedAt.delete(response));
    // Finished responses do not count against `maxPipelined`: Node limits their bytes itself.
    if (response.writableEnded) return;
    this.#perSocket.set(socket, (this.#perSocket.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#perSocket.get(socket) ?? 0) - 1;
      if (left > 0) this.#perSocket.set(socket, left);
      else this.#perSocket.delete(socket);
    });
  }

  /** The response to the latest request of `socket`, finished or not. */
  latest(socket: Socket): ServerResponse | undefined {
    return this.#latest.get(socket);
  }

  /**
   * Makes every connection close after its last pending response. That response announces the close to the
   * client.
   */
  announceClose(): void {
    const newest = new Map(
      [...this.#startedAt.keys()].map((response) => [response.socket ?? response.req.socket, response]),
    );
    for (const response of newest.values()) response.shouldKeepAlive = false;
  }

  /** Resolves when every current response has been read, or its client disconnected. */
  async ended(): Promise<void> {
    for (const response of this.#startedAt.keys()) if (!response.closed) await once(response, 'close');
    clearInterval(this.#timer);
  }

  #disconnectSlow(): void {
    const latest = performance.now() - this.#limits.deliveryTimeout;
    for (const [response, since] of this.#startedAt) {
      // The map iterates in insertion order, oldest first.
      if (since > latest) return;
      this.#onDisconnect('slow');
      response.destroy();
    }
  }
}
