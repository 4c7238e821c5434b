import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { breakOff, type OpenResponses } from '@vitrine/runtime/service';

export interface DeliveryLimits {
  /** Maximum milliseconds from a request until the client has read its response. */
  deliveryTimeout: number;
  /** Milliseconds between checks for late responses. */
  connectionsCheckingInterval: number;
  /** Maximum number of unanswered requests on one connection. */
  maxPipelined: number;
}

/**
 * Tracks the responses that clients have not read yet, because unread responses take memory. It
 * disconnects clients that read too slowly, and clients that pipeline requests without reading responses.
 */
export class InFlightResponses implements OpenResponses {
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

  /** Returns whether `socket` may have another request in progress. If not, closes the connection. */
  admits(socket: Socket): boolean {
    if ((this.#perSocket.get(socket) ?? 0) < this.#limits.maxPipelined) return true;
    // Node continues to parse a packet after the connection is closed. This condition makes the callback run
    // only once.
    if (!socket.destroyed) this.#onDisconnect('pipelining');
    socket.destroy();
    return false;
  }

  /**
   * Starts to track a response, unless it has already been sent. The caller must call this function after the
   * listener has handled the request.
   */
  add(socket: Socket, response: ServerResponse): void {
    this.#latest.set(socket, response);
    if (response.writableEnded && response.socket && socket.writableLength === 0) return;
    this.#startedAt.set(response, performance.now());
    // Finished responses do not count against `maxPipelined` because Node itself limits their bytes.
    const isCounted = !response.writableEnded;
    if (isCounted) this.#perSocket.set(socket, (this.#perSocket.get(socket) ?? 0) + 1);
    response.once('close', () => {
      this.#startedAt.delete(response);
      if (!isCounted) return;
      const left = (this.#perSocket.get(socket) ?? 0) - 1;
      if (left > 0) this.#perSocket.set(socket, left);
      else this.#perSocket.delete(socket);
    });
  }

  get size(): number {
    return this.#startedAt.size;
  }

  /** Returns the response to the latest request on `socket`, finished or not. */
  latest(socket: Socket): ServerResponse | undefined {
    return this.#latest.get(socket);
  }

  /**
   * Makes every connection close after its last pending response, which announces the close to the client.
   */
  announceClose(): void {
    const newest = new Map(
      [...this.#startedAt.keys()].map((response) => [response.socket ?? response.req.socket, response]),
    );
    for (const response of newest.values()) response.shouldKeepAlive = false;
  }

  /** Resolves when, for every current response, the client has read the response or disconnected. */
  async ended(): Promise<void> {
    for (const response of this.#startedAt.keys()) if (!response.closed) await once(response, 'close');
  }

  /** Ends the checks for late responses. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Resets the connections of all responses that clients have not read yet. */
  breakOff(): void {
    for (const response of this.#startedAt.keys()) breakOff(response);
  }

  #disconnectSlow(): void {
    const latest = performance.now() - this.#limits.deliveryTimeout;
    for (const [response, since] of this.#startedAt) {
      // The map iterates in insertion order, so the oldest entries come first.
      if (since > latest) return;
      if (isSelfPaced(response)) continue;
      this.#onDisconnect('slow');
      response.destroy();
    }
  }
}

const SELF_PACED = new WeakSet<ServerResponse>();

/** Exempts a response from the delivery timeout, because its sender checks that the client keeps reading. */
export const markSelfPaced = (response: ServerResponse): void => {
  SELF_PACED.add(response);
};

const isSelfPaced = (response: ServerResponse): boolean => SELF_PACED.has(response);
