import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface DeliveryLimits {
  /** Milliseconds from a request until its answer has been read by the client. */
  deliveryTimeout: number;
  /** How often, in milliseconds, late ones are looked for. */
  connectionsCheckingInterval: number;
  /** Requests on one connection that have no answer yet. */
  maxPipelined: number;
}

/**
 * The answers that their clients do not have yet. Cuts off those who do not read theirs, since it
 * is our memory that it waits in, and those who ask on and on without waiting for one.
 */
export class AnswersUnderWay {
  readonly #since = new Map<ServerResponse, number>();
  readonly #perSocket = new Map<Socket, number>();
  readonly #limits: DeliveryLimits;
  readonly #sweep: NodeJS.Timeout;
  readonly #onCut: (reason: 'pipelining' | 'slow') => void;

  constructor(limits: DeliveryLimits, onCut: (reason: 'pipelining' | 'slow') => void) {
    this.#limits = limits;
    this.#onCut = onCut;
    this.#sweep = setInterval(() => this.#cutLate(), limits.connectionsCheckingInterval).unref();
  }

  /** Whether one more request of `socket` is taken; where it is not, the connection is cut. */
  admits(socket: Socket): boolean {
    if ((this.#perSocket.get(socket) ?? 0) < this.#limits.maxPipelined) return true;
    // The rest of a packet is parsed when the connection is cut already.
    if (!socket.destroyed) this.#onCut('pipelining');
    socket.destroy();
    return false;
  }

  /** To be called when a request has been handed over; an answer that is with the client by then costs nothing. */
  add(socket: Socket, response: ServerResponse): void {
    if (response.writableEnded && response.socket && socket.writableLength === 0) return;
    this.#since.set(response, performance.now());
    response.once('close', () => this.#since.delete(response));
    // What waits behind another answer, Node bounds by its bytes.
    if (response.writableEnded) return;
    this.#perSocket.set(socket, (this.#perSocket.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#perSocket.get(socket) ?? 0) - 1;
      if (left > 0) this.#perSocket.set(socket, left);
      else this.#perSocket.delete(socket);
    });
  }

  /** Lets every connection end with the last answer that it waits for, and say so: its client asks elsewhere next time. */
  last(): void {
    const newest = new Map([...this.#since.keys()].map((response) => [response.socket ?? response.req.socket, response]));
    for (const response of newest.values()) response.shouldKeepAlive = false;
  }

  /** Resolves when all that are there now are with their clients, or cut. */
  async ended(): Promise<void> {
    for (const response of this.#since.keys()) if (!response.closed) await once(response, 'close');
    clearInterval(this.#sweep);
  }

  #cutLate(): void {
    const latest = performance.now() - this.#limits.deliveryTimeout;
    for (const [response, since] of this.#since) {
      // In the order of their beginning.
      if (since > latest) return;
      this.#onCut('slow');
      response.destroy();
    }
  }
}
