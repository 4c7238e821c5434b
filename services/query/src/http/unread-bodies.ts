import type { ServerResponse } from 'node:http';

/**
 * Limits the total size of the bodies that clients have not read yet. A body that several responses share
 * counts once. Above the limit, the service aborts the oldest responses, because they belong to the slowest
 * clients. Most clients read a body within moments. Source: docs/decisions/0025-bounded-pages.md.
 */
export class UnreadBodies {
  readonly #maxBytes: number;
  readonly #onDisconnect: () => void;
  /** In order of arrival, oldest first. */
  readonly #bodies = new Map<ServerResponse, Buffer>();
  readonly #readers = new Map<Buffer, number>();
  #bytes = 0;

  /** @param onDisconnect called for each response that the limit aborts */
  constructor(maxBytes: number, onDisconnect: () => void) {
    this.#maxBytes = maxBytes;
    this.#onDisconnect = onDisconnect;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts `body` until `response` is closed. A response that Node has already passed to the operating system
   * does not count.
   */
  add(body: Buffer, response: ServerResponse): void {
    if (response.destroyed || (response.writableEnded && response.socket?.writableLength === 0)) return;
    this.#bodies.set(response, body);
    const readers = this.#readers.get(body) ?? 0;
    this.#readers.set(body, readers + 1);
    if (readers === 0) this.#bytes += body.length;
    response.once('close', () => this.#remove(response));
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === response) return;
      this.#remove(oldest);
      this.#onDisconnect();
      oldest.destroy();
    }
  }

  #remove(response: ServerResponse): void {
    const body = this.#bodies.get(response);
    if (!body || !this.#bodies.delete(response)) return;
    const readers = (this.#readers.get(body) ?? 0) - 1;
    if (readers > 0) this.#readers.set(body, readers);
    else {
      this.#readers.delete(body);
      this.#bytes -= body.length;
    }
  }
}
