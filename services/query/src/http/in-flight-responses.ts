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
export class AnswersUnderWay {
  readonly #since = new Map<ServerResponse, number>();
  readonly #perSocket = new Map<Socket, number>();
  readonly #newest = new WeakMap<Socket, ServerResponse>();
  readonly #limits: DeliveryLimits;
  readonly #sweep: NodeJS.Timeout;
  readonly #onCut: (reason: 'pipelining' | 'slow') => void;

  constructor(limits: DeliveryLimits, onCut: (reason: 'pipelining' | 'slow') => void) {
    this.#limits = limits;
    this.#onCut = onCut;
    this.#sweep = setInterval(() => this.#cutLate(), limits.connectionsCheckingInterval).unref();
  }

  /** Whether `socket` may have another request in progress. If not, this closes the connection. */
  admits(socket: Socket): boolean {
    if ((this.#perSocket.get(socket) ?? 0) < this.#limits.maxPipelined) return true;
    // Node parses the rest of a packet even after the connection is closed.
    if (!socket.destroyed) this.#onCut('pipelining');
    socket.destroy();
    return false;
  }

  /**
   * Call this after the listener has taken the request. A response that has already been sent is not tracked.
   */
  add(socket: Socket, response: ServerResponse): void {
    this.#newest.set(socket, response);
    if (response.writableEnded && response.socket && socket.writableLength === 0) return;
    this.#since.set(response, performance.now());
    response.once('close', () => this.#since.delete(response));
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
  newest(socket: Socket): ServerResponse | undefined {
    return this.#newest.get(socket);
  }

  /**
   * Makes every connection close after its last pending response. That response announces the close to the
   * client.
   */
  last(): void {
    const newest = new Map([...this.#since.keys()].map((response) => [response.socket ?? response.req.socket, response]));
    for (const response of newest.values()) response.shouldKeepAlive = false;
  }

  /** Resolves when every current response has been read, or its client disconnected. */
  async ended(): Promise<void> {
    for (const response of this.#since.keys()) if (!response.closed) await once(response, 'close');
    clearInterval(this.#sweep);
  }

  #cutLate(): void {
    const latest = performance.now() - this.#limits.deliveryTimeout;
    for (const [response, since] of this.#since) {
      // The map iterates in insertion order, oldest first.
      if (since > latest) return;
      this.#onCut('slow');
      response.destroy();
    }
  }
}
