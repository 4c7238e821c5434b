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
 * The responses that their clients have not read yet. Cuts off clients that do not read theirs, since it waits in our
 * memory, and clients that send requests without ever reading a response.
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

  /** Whether the server takes one more request of `socket`. If not, it cuts the connection. */
  admits(socket: Socket): boolean {
    if ((this.#perSocket.get(socket) ?? 0) < this.#limits.maxPipelined) return true;
    // Node parses the rest of a packet after the connection is cut.
    if (!socket.destroyed) this.#onCut('pipelining');
    socket.destroy();
    return false;
  }

  /** Call it after the listener took the request. A response that the client has by then costs nothing. */
  add(socket: Socket, response: ServerResponse): void {
    this.#newest.set(socket, response);
    if (response.writableEnded && response.socket && socket.writableLength === 0) return;
    this.#since.set(response, performance.now());
    response.once('close', () => this.#since.delete(response));
    // Node bounds the bytes of finished responses that wait behind another one.
    if (response.writableEnded) return;
    this.#perSocket.set(socket, (this.#perSocket.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#perSocket.get(socket) ?? 0) - 1;
      if (left > 0) this.#perSocket.set(socket, left);
      else this.#perSocket.delete(socket);
    });
  }

  /** The response to the last request of `socket`, under way or not. */
  newest(socket: Socket): ServerResponse | undefined {
    return this.#newest.get(socket);
  }

  /** Ends every connection with the last response that it waits for, which announces the close to the client. */
  last(): void {
    const newest = new Map([...this.#since.keys()].map((response) => [response.socket ?? response.req.socket, response]));
    for (const response of newest.values()) response.shouldKeepAlive = false;
  }

  /** Resolves when the clients of all present responses have read them, or are cut off. */
  async ended(): Promise<void> {
    for (const response of this.#since.keys()) if (!response.closed) await once(response, 'close');
    clearInterval(this.#sweep);
  }

  #cutLate(): void {
    const latest = performance.now() - this.#limits.deliveryTimeout;
    for (const [response, since] of this.#since) {
      // The map is in order of insertion.
      if (since > latest) return;
      this.#onCut('slow');
      response.destroy();
    }
  }
}
